#!/bin/sh
# The other host of a test: its own network, processes, name, home folder, /tmp and users, and an sshd. It has a JVM for
# services, in /run/far/jvm, where nothing looks for one.
# The test starts it as the first process of new namespaces, and gives the folder with its users and its keys, and a JVM.
set -eu
folder=$1
jvm=$2
hostname far-host
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd /run/far
cp "$folder"/* /run/far/
for file in passwd group shadow; do mount --bind "/run/far/$file" "/etc/$file"; done
mount -t tmpfs -o mode=755 tmpfs /srv
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir /run/far/jvm
mount --bind "$jvm" /run/far/jvm
[ ! -d /usr/lib/jvm ] || mount -t tmpfs -o mode=755 tmpfs /usr/lib/jvm
mkdir -m 700 /srv/far
chown 4711:4711 /srv/far
ip link set lo up
echo started
/usr/sbin/sshd -D -E /run/far/sshd.log -f /run/far/sshd_config &
wait
sleep infinity
