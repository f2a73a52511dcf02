#!/bin/sh
# As that of the public image: a server that begins as root gives /data to the user redis and becomes him.
set -e
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  find . \! -user redis -exec chown redis '{}' +
  exec gosu redis "$0" "$@"
fi
exec "$@"
