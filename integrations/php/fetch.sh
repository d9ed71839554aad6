#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fetch.sh VERSION WORKDIR - Debian's source package of PHP 8.2 (Debian 12) or 8.4 (Debian 13), the newest that the archive
# serves. apt fetches and verifies it (signed index, hash of each file) from an apt root of its own, WORKDIR/apt: the system's
# sources, lists and cache are neither read nor written, and the machine need not be of that release. The index may name a version
# that the archive has dropped already: then the next older one is tried. What was taken stands in WORKDIR/source.txt.
# Leaves WORKDIR/source/php. Exit: 0 done, 2 usage, 3 not to be had.
set -uo pipefail

fail() { echo "fetch.sh: $1" >&2; exit "${2:-3}"; }

[ $# = 2 ] || fail "usage: fetch.sh 8.2|8.4 WORKDIR" 2
case $1 in
  8.2) release=bookworm ;;
  8.4) release=trixie ;;
  *) fail "no PHP $1 here: 8.2 (Debian 12) or 8.4 (Debian 13)" 2 ;;
esac
package=php$1
work=$(mkdir -p "$2" && cd "$2" && pwd) || fail "cannot make $2"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keyring ] || fail "$keyring is missing: install debian-archive-keyring"
command -v apt-get >/dev/null || fail "there is no apt-get: this script takes PHP from Debian's archive, on Debian or a relative of it"
command -v dpkg-source >/dev/null || fail "dpkg-source is missing: install dpkg-dev"

apt=$work/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/state" "$work/download"
for suite in "debian $release" "debian $release-updates" "debian-security $release-security"; do
  echo "deb-src [signed-by=$keyring] http://deb.debian.org/${suite% *} ${suite#* } main"
done > "$apt/sources.list"
# Everything that apt reads beyond these lines (drop-ins, preferences, status) is named too, so that nothing of the system's
# counts.
cat > "$apt/apt.conf" <<CONF
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::Etc::Preferences "-";
Dir::Etc::PreferencesParts "-";
Dir::State "$apt/state";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt";
Dir::Cache::Archives "$apt/archives";
Acquire::AllowInsecureRepositories "false";
Acquire::Retries "3";
APT::Get::AllowUnauthenticated "false";
APT::Sandbox::User "$(id -un)";
CONF
export APT_CONFIG=$apt/apt.conf LC_ALL=C

apt-get update || fail "the index of $release could not be fetched and verified"
# apt prints the versions in no order; sort -V knows what Debian's ~ means.
versions=$(apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -ruV)
[ -n "$versions" ] || fail "$release has no source package $package"
gone=
for version in $versions; do
  echo "fetch.sh: trying $package $version"
  if (cd "$work/download" && apt-get source --download-only --only-source "$package=$version"); then
    rm -rf "$work/source/php"
    mkdir -p "$work/source"
    # The release as its authors made it, with the configure script and parsers that belong to it: Debian's own patches
    # change what configure is made from, and none touches the thread-safe globals.
    dpkg-source --skip-patches -x "$work/download/${package}_${version#*:}.dsc" "$work/source/php" ||
      fail "the source package of $package $version does not unpack"
    {
      echo "package=$package"
      echo "version=$version"
      echo "release=$release"
      echo "indexed_but_gone=${gone# }"
      (cd "$work/download" && sha256sum "${package}_"*.orig.tar.xz | sed 's/^\([0-9a-f]*\) *\(.*\)/sha256=\1 \2/')
    } > "$work/source.txt"
    exit 0
  fi
  gone="$gone $version"
done
fail "the archive serves none of the versions it indexes:$gone"
