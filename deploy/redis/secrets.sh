#!/bin/sh
# Makes the addresses with which the worker and the exporter log in to Redis, each with a random password. Arguments: a folder
# for each. What is there already stays.
set -eu
umask 077

make() {
  user=$1 file=$2/url
  if [ -s "$file" ]; then return; fi
  password=$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n')
  printf 'redis://%s:%s@redis:6379\n' "$user" "$password" > "$file.part"
  # 1000 is the user of the image of receval.
  if [ "$(id -u)" = 0 ]; then chown 1000:1000 "$file.part"; fi
  mv "$file.part" "$file"
}

make receval-worker "$1"
make receval-exporter "$2"
