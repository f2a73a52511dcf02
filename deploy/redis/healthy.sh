#!/bin/sh
# Whether Redis has loaded its data and lets the exporter in. The password travels in the environment, not in argv.
set -eu
REDISCLI_AUTH=$(sed -n 's|^redis://[^:]*:\([^@]*\)@.*|\1|p' /secrets/exporter/url)
export REDISCLI_AUTH
redis-cli --user receval-exporter ping | grep -q PONG
