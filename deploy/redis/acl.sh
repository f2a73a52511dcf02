#!/bin/sh
# Prints users.acl for Redis. Arguments: the files that hold the addresses (redis://user:password@host:port) of the worker and
# of the exporter. Only hashes of the passwords are printed.
set -eu

hash() {
  password=$(sed -n 's|^redis://[^:]*:\([^@]\{1,\}\)@.*|\1|p' "$1")
  if [ -z "$password" ]; then
    echo "acl.sh: $1 holds no address with a password" >&2
    exit 1
  fi
  printf %s "$password" | sha256sum | cut -c1-64
}

worker=$(hash "$1")
exporter=$(hash "$2")
sed -e '/^#/d' -e "s/<worker>/#$worker/" -e "s/<exporter>/#$exporter/" "$(dirname "$0")/users.acl"
