#!/usr/bin/env bash
# Installs a build into a directory and compiles a program against what was installed, static and shared.
# The packages that docs/install.md gives a container must hold every library that the command is linked with.
# usage: tests/install.sh BUILD DIRECTORY
set -euo pipefail
build=$1 prefix=$2
rm -rf "$prefix"
DESTDIR=$prefix meson install -C "$build" --no-rebuild --quiet
pc=$(find "$prefix" -name sosia.pc)
export PKG_CONFIG_SYSROOT_DIR=$prefix PKG_CONFIG_PATH=${pc%/*}
cat >"$prefix/try.c" <<'C'
#include <sosia.h>
#include <stdio.h>
int main(void)
{
    struct sosia_engine *engine;
    struct sosia_err err;
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        return 1;
    sosia_engine_close(engine);
    puts(sosia_version());
    return 0;
}
C
lib=$(find "$prefix" -name 'libsosia.so')
# shellcheck disable=SC2046
cc "$prefix/try.c" $(pkg-config --cflags --libs sosia) -o "$prefix/try"
LD_LIBRARY_PATH=${lib%/*} "$prefix/try"
# CMake finds it too, in a tree that was moved, and refuses a version that is not there.
if command -v cmake >/dev/null; then
    mkdir -p "$prefix/cmake"
    cat >"$prefix/cmake/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(try C)
find_package(sosia ${WANTED} REQUIRED)
add_executable(try ${CMAKE_SOURCE_DIR}/../try.c)
target_link_libraries(try sosia::sosia)
CMAKE
    for wanted in 0.1 9.0; do
        cmake -S "$prefix/cmake" -B "$prefix/cmake/build-$wanted" -DWANTED=$wanted -Dsosia_DIR="${lib%/*}/cmake/sosia" >"$prefix/cmake/out" 2>&1 &&
            found=yes || found=no
        case $wanted-$found in
        0.1-yes) cmake --build "$prefix/cmake/build-0.1" >"$prefix/cmake/out" && "$prefix/cmake/build-0.1/try" ;;
        9.0-no) ;;
        *) echo "find_package(sosia $wanted): found is $found"; cat "$prefix/cmake/out"; exit 1 ;;
        esac
    done
else
    echo "skipped: cmake is not here"
fi
# A static program needs what libsosia uses, but not the private libraries of those in turn.
# shellcheck disable=SC2046
cc "$prefix/try.c" $(pkg-config --cflags sosia) "${lib%/*}/libsosia.a" $(PKG_CONFIG_SYSROOT_DIR='' pkg-config --libs libutf8proc libxxhash \
    gnutls hogweed nettle gmp yaml-0.1 gmime-3.0 libarchive zlib libxml-2.0 libpcre2-8) -lhpdf -lm -pthread -o "$prefix/try-static"
"$prefix/try-static"
# Nothing but the public interface may be seen from outside.
diff <(tools/header.py --symbols) <(nm -D --defined-only --format=posix "$lib" | cut -d' ' -f1 | LC_ALL=C sort) ||
    { echo "the library must show the functions of sosia.h, shows others (>) or lacks some (<)"; exit 1; }
# What the command needs must be among the packages of docs/install.md.
bin=$(find "$prefix" -path '*/bin/sosia')
needed=$(readelf -d "$bin" | sed -n 's/.*Shared library: \[\(.*\)\]/\1/p')
loaded=$(ldd "$bin")
for name in $needed; do
    path=$(readlink -f "$(awk -v name="$name" '$1 == name || $1 ~ "/" name "$" { print $3 ~ "^/" ? $3 : $1 }' <<<"$loaded")")
    package=$(dpkg-query -S "$path" "${path#/usr}" 2>/dev/null | sed '1!d; s/:.*//') || true # packages name /usr/lib or /lib
    [ -n "$package" ] || { echo "$name: expected a package that has $path, found none"; exit 1; }
    [ "$package" = libc6 ] || grep -qw -e "$package" docs/install.md ||
        { echo "docs/install.md: expected the package $package, which has $name"; exit 1; }
done
