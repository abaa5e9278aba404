# A Kubernetes cluster with one node, in the namespaces of the shell that sources this. Its users are admin, loader and nobody.
# shellcheck shell=bash

NODE_CGROUP=wallfinder-kubernetes
KUBELETS_SETTINGS="kernel/panic kernel/panic_on_oops kernel/keys/root_maxbytes kernel/keys/root_maxkeys vm/overcommit_memory
    vm/panic_on_oom"

# node_up PROGRAMS FOLDER: PROGRAMS is the folder of build.sh, and FOLDER gets everything else.
node_up() {
    local programs=$1 d=$2
    export PATH=$programs/bin:$PATH
    mkdir -p "$d"/{logs,etcd,certs,cni}
    places_of_its_own "$d"
    network
    openssl genrsa -out "$d/sa.key" 2048 2>/dev/null
    openssl rsa -in "$d/sa.key" -pubout -out "$d/sa.pub" 2>/dev/null
    users "$d"
    etcd --data-dir "$d/etcd" --unsafe-no-fsync >"$d/logs/etcd" 2>&1 &
    kube-apiserver --etcd-servers=http://127.0.0.1:2379 --cert-dir="$d/certs" --secure-port=6443 \
        --bind-address=127.0.0.1 --advertise-address=10.88.0.1 --service-cluster-ip-range=10.96.0.0/16 \
        --service-account-key-file="$d/sa.pub" --service-account-signing-key-file="$d/sa.key" \
        --service-account-issuer=https://kubernetes.default.svc --authorization-mode=Node,RBAC \
        --token-auth-file="$d/tokens.csv" --allow-privileged --kubelet-preferred-address-types=InternalIP \
        >"$d/logs/apiserver" 2>&1 &
    containers "$programs" "$d"
    export KUBECONFIG=$d/admin.kubeconfig
    until_true "the API server answers" kubectl get --raw /readyz || return
    kube-controller-manager --kubeconfig="$KUBECONFIG" --service-account-private-key-file="$d/sa.key" \
        --leader-elect=false --bind-address=127.0.0.1 >"$d/logs/controllers" 2>&1 &
    kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false --bind-address=127.0.0.1 >"$d/logs/scheduler" 2>&1 &
    cat >"$d/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix:///run/containerd.sock
failSwapOn: false
enforceNodeAllocatable: []
makeIPTablesUtilChains: false
resolvConf: ""
podLogsDir: $d/pods
volumePluginDir: $d/plugins
END
    local tree
    for tree in $(cgroup_trees); do mkdir -p "$tree/$NODE_CGROUP"; done
    kubelet --cgroup-root="/$NODE_CGROUP" --config="$d/kubelet.yaml" --kubeconfig="$d/node.kubeconfig" --hostname-override=node1 \
        --root-dir="$d/kubelet" --node-ip=10.88.0.1 >"$d/logs/kubelet" 2>&1 &
    until_true "the node is ready" node_ready
}

node_ready() {
    kubectl get nodes | grep -q ' Ready'
}

# The programs of a node write to many places of their host, whatever their options say, and a kubelet sets six settings of the
# kernel. Here they get places and settings of their own, which end with the mount namespace.
places_of_its_own() {
    local d=$1 place name
    for place in /run /tmp /var/lib /var/log /usr/libexec; do mount -t tmpfs tmpfs "$place"; done
    mkdir -p "$d/home"
    export HOME=$d/home
    for name in $KUBELETS_SETTINGS; do
        mkdir -p "$(dirname "$d/settings/$name")"
        cat "/proc/sys/$name" >"$d/settings/$name"
        mount --bind "$d/settings/$name" "/proc/sys/$name"
    done
}

# The mounted trees of cgroups: one in version 2, several in version 1.
cgroup_trees() {
    awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts | sort -u
}

# remove_node FOLDER: what a node has left, if it was killed.
remove_node() {
    local tree
    rm -rf --one-file-system "$1"
    for tree in $(cgroup_trees); do
        [ ! -d "$tree/$NODE_CGROUP" ] || find "$tree/$NODE_CGROUP" -depth -type d -exec rmdir {} +
    done
}

# What a node could change of its host, for a comparison.
host_state() {
    (cd /proc/sys && grep -r . kernel/panic kernel/panic_on_oops kernel/keys vm/overcommit_memory vm/panic_on_oom)
    ls -A /run /run/netns /var/lib /var/log /usr/libexec "$HOME" 2>/dev/null
    find /sys/fs/cgroup -type d \( -name 'kubepods*' -o -name "$NODE_CGROUP" \)
}

network() {
    ip link set lo up
    ip link add node0 type bridge
    ip address add 10.88.0.1/16 dev node0
    ip link set node0 up
}

# Everybody has a token. Nothing outside of this network namespace reaches the API server.
users() {
    local d=$1 name
    cat >"$d/tokens.csv" <<END
admin-token,admin,admin,"system:masters"
node-token,system:node:node1,node1,"system:nodes"
loader-token,loader,loader
nobody-token,nobody,nobody
END
    for name in admin node loader nobody; do
        cat >"$d/$name.kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{ name: here, cluster: { server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true } }]
users: [{ name: $name, user: { token: $name-token } }]
contexts: [{ name: $name, context: { cluster: here, user: $name } }]
current-context: $name
END
    done
}

containers() {
    local programs=$1 d=$2
    cat >"$d/containerd.toml" <<END
version = 2
root = "$d/containerd"
state = "$d/containerd-run"
[grpc]
  address = "/run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$programs/debian/usr/lib/cni"
    conf_dir = "$d/cni"
END
    cat >"$d/cni/pods.conflist" <<END
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [
  { "type": "bridge", "bridge": "pods0", "isGateway": true, "hairpinMode": true, "ipam": { "type": "host-local",
    "dataDir": "$d/addresses", "ranges": [[{ "subnet": "10.77.0.0/16" }]], "routes": [{ "dst": "0.0.0.0/0" }] } },
  { "type": "loopback" } ] }
END
    containerd --config "$d/containerd.toml" >"$d/logs/containerd" 2>&1 &
    until_true "containerd answers" test -S /run/containerd.sock
}

# image ARCHIVE NAME: gives the node an image.
image() {
    ctr --address /run/containerd.sock --namespace k8s.io images import --base-name "$2" "$1" >/dev/null
}

# until_true WHAT COMMAND...: for three minutes at most.
until_true() {
    local what=$1 end=$((SECONDS + 180))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -gt $end ]; then
            echo "not within 180 s: $what" >&2
            return 1
        fi
        sleep 0.3
    done
}
