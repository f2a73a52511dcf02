#!/bin/sh
# Runs a Docker Engine that the machine around it does not see: in mount, network and process namespaces of its own, which end
# with it. Arguments: the folder of fetch-engine.sh, an empty folder for sockets and data, and the control group of the
# containers. To be started by `unshare`.
set -eu
engine=$1
here=$2
export PATH="$engine/root/usr/sbin:$engine/root/usr/bin:$PATH"
export LD_LIBRARY_PATH="$(echo "$engine"/root/usr/lib/*-linux-gnu)"
export XTABLES_LIBDIR="$LD_LIBRARY_PATH/xtables"
names=$(readlink -f /etc/resolv.conf)
mount -t tmpfs tmpfs /run
# The name server of slirp4netns, which asks that of the machine.
echo 'nameserver 10.0.2.3' > "$here/resolv.conf"
mkdir -p "$(dirname "$names")"
[ -e "$names" ] || : > "$names"
mount --bind "$here/resolv.conf" "$names"
echo '{}' > "$here/daemon.json"
exec tini -g -- dockerd --config-file "$here/daemon.json" --host "unix://$here/docker.sock" --data-root "$here/data" \
  --exec-root /run/docker --pidfile "/run/docker.pid" --exec-opt native.cgroupdriver=cgroupfs --cgroup-parent "$3" \
  --ipv6=false
