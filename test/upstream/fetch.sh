#!/bin/sh
# Fetches LLVM's own MLIR tests and stock tools into build/upstream. Needs a Debian with apt, but no root.
#
# The tests and the tools that count are those of the last release, Debian's llvm-toolchain-23. The tools of
# the next version, a snapshot, show which tests fail in any mlir-opt as new as the wheel's MLIR.
set -eu

release="${1:-23}"
next="${2:-24}"
root="$(cd "$(dirname "$0")/../.." && pwd)/build/upstream"
suites="sid experimental"
# What the tools load; the newest C library, so that they run on older Debians.
libraries="libc6 libgcc-s1 libstdc++6 libz3-4 libzstd1 zlib1g liblzma5 libedit2 libffi8 libxml2-16 libtinfo6
    libbsd0 libmd0"
architecture="$(dpkg-architecture --query DEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)"

mkdir -p "$root/apt/lists/partial" "$root/apt/cache" "$root/source"
for suite in $suites; do
    for kind in deb deb-src; do
        echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
            "http://deb.debian.org/debian $suite main"
    done
done > "$root/apt/sources.list"

apt_here() {
    command="$1"
    shift
    "$command" -o "Dir::Etc::SourceList=$root/apt/sources.list" -o Dir::Etc::SourceParts=- \
        -o "Dir::State::Lists=$root/apt/lists" -o "Dir::Cache=$root/apt/cache" "$@"
}

# Unpacks the tools of a version, and makes programs that start them with the libraries unpacked beside them.
fetch_tools() {
    version="$1"
    home="$root/llvm-$version"
    rm -rf "$home" "$root/tools-$version"
    mkdir -p "$home/packages" "$root/tools-$version"
    # shellcheck disable=SC2086
    (cd "$home/packages" && apt_here apt-get download "mlir-$version-tools" "llvm-$version-tools" \
        "libmlir-$version" "libllvm$version" $libraries)
    for package in "$home"/packages/*.deb; do
        dpkg-deb --extract "$package" "$home"
    done
    loader="$(find "$home" -name 'ld-linux-*.so.*' | head -n 1)"
    paths="$home/usr/lib/$architecture:$home/lib/$architecture:$home/usr/lib/llvm-$version/lib"
    for tool in mlir-opt FileCheck not count split-file; do
        printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' \
            "$loader" "$paths" "$home/usr/lib/llvm-$version/bin/$tool" > "$root/tools-$version/$tool"
        chmod +x "$root/tools-$version/$tool"
    done
}

# Downloads the source archive of a version; mirrors do not hold each at all times, hence the attempts.
fetch_source() {
    cd "$root/source"
    for attempt in 1 2 3; do
        for version in $(apt_here apt-cache showsrc "llvm-toolchain-$release" | sed -n 's/^Version: //p' | sort -rV); do
            apt_here apt-get source --download-only "llvm-toolchain-$release=$version" || true
            set -- "llvm-toolchain-${release}_"*.orig.tar.xz
            if test -f "$1"; then
                archive="$root/source/$1"
                return
            fi
        done
        sleep $((attempt * 5))
    done
    echo "fetch.sh: error: no mirror has a source of llvm-toolchain-$release now" >&2
    exit 1
}

apt_here apt-get update
fetch_tools "$release"
fetch_tools "$next"
fetch_source
rm -rf "$root/tests"
mkdir "$root/tests"
tar --extract --file "$archive" --directory "$root/tests" --strip-components=1 --wildcards '*/mlir/test'
basename "$archive" .orig.tar.xz > "$root/tests/version"
echo "tests: $root/tests/mlir/test, of $(cat "$root/tests/version")"
echo "tools: $root/tools-$release, $root/tools-$next"
