#!/bin/sh
# Unpacks a Docker Engine 26 with Compose 2.26 from Debian packages into a new folder, on Debian 12. Nothing is installed.
# Argument: the folder. Debian 12's own engine and Compose are too old; these five packages of Debian 13 need no newer libc.
set -eu
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/debs" "$1/root"
cd "$1"
top=$PWD
: > apt/status
repository=$(apt-get indextargets --format '$(REPO_URI)' 'Release: bookworm' 'Component: main' | sort -u | head -n 1)
if [ -z "$repository" ]; then
  echo "fetch-engine.sh: apt knows no repository of bookworm, main; look at /etc/apt/sources.list.d" >&2
  exit 1
fi
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $repository trixie main" > apt/sources.list
newer() {
  apt-get -q -o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$top/apt/sources.list" -o Dir::Etc::sourceparts=- \
    -o "Dir::State::lists=$top/apt/lists" -o "Dir::State::status=$top/apt/status" -o "Dir::Cache=$top/apt/cache" \
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
cd debs
newer update
newer download docker.io docker-cli docker-compose docker-buildx containerd
own() {
  apt-get -q -o APT::Sandbox::User=root download runc tini iptables libip4tc2 libip6tc2 libxtables12 libnftnl11 libmnl0 \
    libnetfilter-conntrack3 libnfnetlink0 libseccomp2 slirp4netns libslirp0 libglib2.0-0
}
# Without lists, or with old ones, there is nothing to download.
own || { apt-get -q update && own; }
for package in *.deb; do dpkg-deb -x "$package" ../root; done
cd ..
for name in iptables ip6tables iptables-save iptables-restore; do ln -sf xtables-legacy-multi "root/usr/sbin/$name"; done
rm -rf apt debs
