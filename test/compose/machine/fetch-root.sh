#!/bin/sh
# Unpacks Debian packages and all that they need into a new folder that can be the root of a container: no script of a package
# runs, nothing is installed. Arguments: the folder, packages.
set -eu
mkdir -p "$1/apt/archives/partial" "$1/root"
top=$(realpath "$1")
shift
: > "$top/apt/status"
closure() {
  # As if nothing were installed.
  apt-get -q -y -o APT::Sandbox::User=root -o "Dir::State::status=$top/apt/status" -o "Dir::Cache::archives=$top/apt/archives" \
    -o Debug::NoLocking=true --no-install-recommends --download-only install "$@"
}
# Without lists, or with old ones, there is nothing to download.
closure "$@" || { apt-get -q update && closure "$@"; }
cd "$top/root"
for name in bin sbin lib lib64; do
  mkdir -p "usr/$name"
  ln -s "usr/$name" "$name"
done
for package in ../apt/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar --extract --keep-directory-symlink
done
rm -rf usr/share/doc usr/share/man usr/share/locale usr/share/info usr/share/javascript usr/share/perl
mkdir -p dev proc sys run tmp root etc
chmod 1777 tmp
rm -rf "$top/apt"
