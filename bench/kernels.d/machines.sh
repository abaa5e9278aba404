# shellcheck shell=bash
# Functions that bench/kernels and bench/hosts share: they make what an emulated machine boots. Each script sets `root`,
# `arch` (amd64 or arm64), `kept` (a folder for what the next call uses again), `system` (a folder in it), `scratch`,
# `programs` (the Debian packages of the system) and `drivers` (modules of the kernel that its start needs).
# shellcheck disable=SC2154

# The newest cloud kernel of each release that the package sources offer.
newest_kernels() {
    apt-cache search --names-only '^linux-image-[0-9.]+.*-cloud-amd64$' | cut -d' ' -f1 |
        grep -v unsigned | sort -V | awk '{ split($1, v, /[-.]/); newest[v[3] "." v[4]] = $1 }
            END { for (series in newest) print newest[series] }' | grep -E '[0-9]+\.[0-9]+\.[0-9]' | sort -V
}

# The Debian release of this host, for all kernels.
make_system() {
    [ ! -e "$kept/complete" ] || return 0
    local foreign=()
    [ "$arch" = amd64 ] || foreign=(--foreign --arch="$arch") programs=$programs,${kernels[0]}
    rm -rf "$system"
    debootstrap --variant=minbase "${foreign[@]}" --include="$programs" \
        "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$system" >"$kept/debootstrap.log" 2>&1 || {
        explain "the system of the machines cannot be made" \
            "debootstrap failed: $(tail -n 1 "$kept/debootstrap.log")" "see $kept/debootstrap.log"
        exit 3
    }
    [ "$arch" = amd64 ] || unpack_foreign
    rm -f "$system"/var/cache/apt/archives/*.deb
    touch "$kept/complete"
}

# This host cannot run the programs that would set up the packages. Their files are enough here.
unpack_foreign() {
    local package
    for package in "$system"/var/cache/apt/archives/*.deb; do
        case $package in
            */linux-image-[0-9]*) dpkg-deb -x "$package" "$kept/${kernels[0]}" ;;
            *) dpkg-deb -x "$package" "$system" ;;
        esac
    done
    cp "$system/usr/share/base-passwd/passwd.master" "$system/etc/passwd"
    cp "$system/usr/share/base-passwd/group.master" "$system/etc/group"
    ln -sf mawk "$system/usr/bin/awk"
}

# kernel PACKAGE: unpacks it, and sets `version`.
kernel() {
    local folder=$kept/$1
    if [ ! -e "$folder/boot" ]; then
        (cd "$scratch" && apt-get download -q "$1" >&2) && dpkg-deb -x "$scratch/$1"_*.deb "$folder" || return 1
    fi
    version=$(ls "$folder/lib/modules" 2>/dev/null || ls "$folder/usr/lib/modules")
    rm -rf "$system/lib/modules"
    mkdir -p "$system/lib/modules"
    cp -a "$folder"/lib/modules/. "$system/lib/modules" && depmod -b "$system" "$version"
}

# make_initrd PROGRAM: a first system in memory. It loads the drivers, mounts the disk and starts that program from there.
make_initrd() {
    local at=$scratch/initrd module file
    rm -rf "$at"
    mkdir -p "$at"/{bin,dev,lib,modules,new,proc}
    for module in $drivers; do modprobe -d "$system" -S "$version" -D "$module"; done |
        awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
        while read -r module; do
            file=$(basename "$module" .xz)
            case $module in
                *.xz) xz -dc "$module" >"$at/modules/$file" ;;
                *) cp "$module" "$at/modules/$file" ;;
            esac
            echo "$file" >>"$at/modules/order"
        done
    cp "$system/bin/busybox" "$at/bin/busybox"
    cat >"$at/init" <<END
#!/bin/busybox sh
busybox mount -t devtmpfs dev /dev
while read -r module; do busybox insmod "/modules/\$module"; done </modules/order
until [ -b /dev/vda ]; do busybox usleep 50000; done
busybox mount -t ext4 /dev/vda /new
exec busybox switch_root /new $1
END
    chmod +x "$at/init"
    (cd "$at" && find . | cpio --quiet -o -H newc | gzip -1) >"$scratch/initrd.gz"
}
