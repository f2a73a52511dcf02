#!/bin/sh
# Starts Redis in its container, with users whose passwords are those that receval is given. Arguments: the files that hold
# the addresses of the worker and of the exporter, and the file that redis.conf takes the users from.
set -eu
here=$(dirname "$0")
umask 077
sh "$here/acl.sh" "$1" "$2" > "$3"
chown redis "$3"
exec docker-entrypoint.sh redis-server "$here/redis.conf"
