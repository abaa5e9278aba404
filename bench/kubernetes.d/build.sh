#!/bin/bash
# Makes the programs of a Kubernetes node in a folder: those of Debian's packages, and the rest from the Go module.
#
#   build.sh FOLDER
set -euo pipefail
folder=$1
here=$(dirname "$(readlink -f "$0")")

# The newest minor version whose kubelet accepts cgroup v1 by default.
minor=34.3

modules="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap
    code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib
    dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy
    kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin
    sample-controller"

debian() {
    [ ! -x "$folder/debian/usr/bin/containerd" ] || return 0
    mkdir -p "$folder/packages"
    (cd "$folder/packages" && apt-get -q download etcd-server containerd containernetworking-plugins 2>/dev/null)
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --extract "$package" "$folder/debian"
    done
}

kube() {
    [ ! -x "$folder/kube" ] || return 0
    mkdir -p "$folder/source"
    cp "$here/main.go" "$folder/source/"
    {
        printf 'module kube\n\ngo 1.24\n\nrequire k8s.io/kubernetes v1.%s\n\nreplace (\n' "$minor"
        for module in $modules; do
            printf '\tk8s.io/%s => k8s.io/%s v0.%s\n' "$module" "$module" "$minor"
        done
        echo ')'
    } >"$folder/source/go.mod"
    local version=k8s.io/component-base/version
    cd "$folder/source"
    export GOFLAGS=-mod=mod CGO_ENABLED=0
    go mod tidy
    go build -ldflags "-s -w -X $version.gitVersion=v1.$minor -X $version.gitMajor=1 -X $version.gitMinor=${minor%.*}" \
        -o "$folder/kube" .
}

# image NAME ARGUMENTS SOURCE...: an image with a program of that name, which is its entry point.
image() {
    local name=$1 arguments=$2 layout=$folder/$1.image bundle=$folder/$1.bundle
    shift 2
    [ ! -s "$folder/$name.tar" ] || return 0
    rm -rf "$layout" "$bundle"
    umoci init --layout "$layout"
    umoci new --image "$layout:1"
    umoci unpack --image "$layout:1" "$bundle" >/dev/null
    gcc -static -O2 -s "$@" -o "$bundle/rootfs/$name"
    umoci repack --image "$layout:1" "$bundle" >/dev/null
    # shellcheck disable=SC2086 # no argument, or one
    umoci config --image "$layout:1" --config.entrypoint "/$name" ${arguments:+--config.cmd $arguments}
    tar -C "$layout" -cf "$folder/$name.tar" .
}

links() {
    mkdir -p "$folder/bin"
    for program in kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
        ln -sf ../kube "$folder/bin/$program"
    done
    for program in etcd containerd containerd-shim-runc-v2 ctr; do
        ln -sf "../debian/usr/bin/$program" "$folder/bin/$program"
    done
}

mkdir -p "$folder"
debian
kube
echo 'int pause(void); int main(void) { for (;;) pause(); }' >"$folder/pause.c"
image pause "" "$folder/pause.c" # the first process of each pod
cp "$here/../server.c" "$folder/"
sed 's/INADDR_LOOPBACK/INADDR_ANY/' "$here/../listening.h" >"$folder/listening.h" # a pod is reached from outside
image server 8080 "$folder/server.c"
links
