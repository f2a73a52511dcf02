#!/bin/sh
# Whether Redis has loaded its data and lets the exporter in. Arguments: the file that holds the exporter's address, and
# options for redis-cli. The password travels in the environment, not in argv.
set -eu
REDISCLI_AUTH=$(sed -n 's|^redis://[^:]*:\([^@]*\)@.*|\1|p' "$1")
export REDISCLI_AUTH
shift
redis-cli --user receval-exporter "$@" ping | grep -q PONG
