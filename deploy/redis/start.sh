#!/bin/sh
# Starts Redis in its container, with users whose passwords are those that receval is given.
set -eu
here=$(dirname "$0")
umask 077
sh "$here/acl.sh" /secrets/worker/url /secrets/exporter/url > /run/redis/users.acl
chown redis /run/redis/users.acl
exec docker-entrypoint.sh redis-server "$here/redis.conf"
