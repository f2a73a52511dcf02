#!/bin/sh
# Makes the token that readers of /metrics must show, a random one. Arguments: a folder for receval, which asks for it, and one
# for Prometheus, which shows it. What is there already stays; where one of the two is missing, both are made anew.
set -eu
umask 077
if [ -s "$1/token" ] && [ -s "$2/token" ]; then exit 0; fi

token=$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n')

put() {
  printf '%s\n' "$token" > "$1/token.part"
  chmod 400 "$1/token.part"
  if [ "$(id -u)" = 0 ]; then chown "$2:$2" "$1/token.part"; fi
  mv -f "$1/token.part" "$1/token"
}

# The users of the images of receval and of Prometheus.
put "$1" 1000
put "$2" 65534
