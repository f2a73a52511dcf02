#!/bin/sh
# Prints users.acl for Redis: acl.sh WORKER EXPORTER, or for several tenants acl.sh --namespace NAME WORKER EXPORTER
# [--namespace NAME WORKER EXPORTER]... WORKER and EXPORTER are files that hold the address (redis://user:password@host:port, or
# another that receval takes) of the worker and of the exporter; the users get the names that stand there, and what a cluster or a
# database needs. With --namespace they reach the keys of that namespace alone. Only hashes of the passwords are printed.
set -eu

template=$(dirname "$0")/users.acl

fail() {
  echo "acl.sh: $1" >&2
  exit 1
}

# The user (2 is 1) or the password (2 is 2) of the address in $1. The host follows the last @, as receval reads it.
address() {
  found=$(sed -n "s|^redis[a-z+]*://\([A-Za-z0-9._-]\{1,\}\):\(.\{1,\}\)@[^@]*$|\\$2|p" "$1")
  if [ -z "$found" ]; then fail "$1 holds no address with a user of letters, digits, . _ - and a password"; fi
  printf %s "$found"
}

# What %40 and the like stand for. If one of them stands for nothing, all is meant as it is.
unescaped() {
  LC_ALL=C awk '{
    hex = "0123456789abcdef"
    text = $0
    if (text !~ /%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)/)
      while (match(text, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
        code = tolower(substr(text, RSTART + 1, 2))
        printf "%s%c", substr(text, 1, RSTART - 1), 16 * index(hex, substr(code, 1, 1)) + index(hex, substr(code, 2)) - 17
        text = substr(text, RSTART + 3)
      }
    printf "%s", text
  }'
}

# What its user may do besides, for the address in $1: see the slots of a cluster, or choose a database.
more() {
  case $(cat "$1") in
    redis+cluster://*) printf ' +cluster|slots +cluster|info' ;;
    *) sed -n 's|^rediss\{0,1\}://.*@[^@/]*/0*[1-9][0-9]*$| +select|p' "$1" ;;
  esac
}

# The line of a user of the template ($1), for the address in $2, on the keys of the namespace $3; all keys if it is empty.
user() {
  name=$(address "$2" 1)
  hash=$(address "$2" 2)
  hash=$(printf %s "$hash" | unescaped | sha256sum | cut -c1-64)
  line=$(sed -n "s/^user $1 on <[a-z]*> /user $name on #$hash /p" "$template")
  if [ -n "$3" ]; then
    # By its digits a unit is told from the rest of a longer name: no user reaches the namespace NAME:else, nor NAME2.
    keys=
    for digits in '[0-9]' '[0-9][0-9]' '[0-9][0-9][0-9]' '[0-9][0-9][0-9][0-9]' '[0-9][0-9][0-9][0-9][0-9]' self-test accepted; do
      keys="$keys \\1~receval:{$3:$digits}:*"
    done
    line=$(printf '%s\n' "$line" | sed "s/ \(%R\)\{0,1\}~receval:\*/$keys/")
  fi
  printf '%s%s\n' "$line" "$(more "$2")"
}

tenant() {
  user receval-worker "$1" "$3"
  user receval-exporter "$2" "$3"
}

usage='arguments: WORKER EXPORTER, or --namespace NAME WORKER EXPORTER, again for each tenant'
users=
if [ "${1-}" = --namespace ]; then
  while [ $# -gt 0 ]; do
    if [ $# -lt 4 ] || [ "$1" != --namespace ]; then fail "$usage"; fi
    case $2 in
      '' | *[!A-Za-z0-9._:@-]*) fail "a namespace for --namespace has letters, digits and . _ : @ - only, not \"$2\"" ;;
    esac
    users="$users$(tenant "$3" "$4" "$2")
"
    shift 4
  done
else
  if [ $# -ne 2 ]; then fail "$usage"; fi
  users="$(tenant "$1" "$2" '')
"
fi
# Those that are complete: default, and whom somebody has added.
others=$(sed -n '/^user [^<]*$/p' "$template")
if [ -n "$(printf '%s\n%s' "$others" "$users" | cut -d' ' -f2 | sort | uniq -d)" ]; then
  fail 'each worker and each exporter needs a user of its own, and none of them is default or another of users.acl'
fi
printf '%s\n' "$others"
printf %s "$users"
