#!/bin/sh
# Installs Formbox, or a newer one: sh install.sh --help
set -eu

from=${FORMBOX_FROM:-@FROM@}
guide=docs/install.md
case $from in https://github.com/*/releases/*) guide=${from%%/releases/*}/blob/HEAD/$guide ;; esac

say() { printf '%s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

usage() {
  cat <<END
Installs the executable of Formbox for this machine, or a newer one. For a service, take the archive or the Debian package
instead ($guide):

  sh install.sh [--yes] [FOLDER]
  curl -fsSL ADDRESS/install.sh | sh -s -- [--yes] [FOLDER]

FOLDER is /usr/local/bin for root, otherwise ~/.local/bin. Nothing is written there before the archive has the checksum of
SHA256SUMS, and what is there is replaced only after a question, or with --yes. FORMBOX_FROM is the address, or the folder,
that has the files of a release.
END
}

# The end of the archive's name.
kind() {
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  case $(uname -s) in
    Darwin) echo "macos-$machine" ;;
    Linux)
      if ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib*/ld-linux-* >/dev/null 2>&1; then
        echo "linux-$machine-musl"
      elif [ "$machine" = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then
        echo linux-x64-baseline
      else
        echo "linux-$machine"
      fi
      ;;
    *) fail "there is no archive for $(uname -s) here; see $guide" ;;
  esac
}

# Gives up when nothing has arrived for a minute, or the connection has broken three times. No -T: some wget of BusyBox die of it.
fetch() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --connect-timeout 60 --speed-limit 1 --speed-time 60 \
          --output "$2" "$from/$1"
      elif command -v wget >/dev/null; then
        wget -q -t 3 -O "$2" "$from/$1"
      else
        fail 'curl or wget is needed'
      fi || fail "cannot fetch $from/$1"
      ;;
    *) cp "$from/$1" "$2" || fail "cannot read $from/$1" ;;
  esac
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# In a function, so that a script that arrives through a pipe does nothing before its last line.
install() {
  yes=
  folder=
  for word in "$@"; do
    case $word in
      --yes) yes=1 ;;
      --help) usage; exit ;;
      -*) fail "unknown option $word; there are --yes and --help" ;;
      *) [ -z "$folder" ] || fail 'one folder, please'; folder=$word ;;
    esac
  done
  if [ -z "$folder" ]; then
    if [ "$(id -u)" = 0 ]; then folder=/usr/local/bin; else folder=$HOME/.local/bin; fi
  fi
  case $from in @*) fail 'FORMBOX_FROM must be set: where the files of a release are' ;; esac

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch" "$folder/.formbox.new"' EXIT
  trap 'exit 1' HUP INT TERM

  kind=$(kind)
  fetch SHA256SUMS "$scratch/SHA256SUMS"
  line=$(grep -E "^[0-9a-f]{64}  formbox-[0-9A-Za-z.+-]*-$kind\.tar\.gz$" "$scratch/SHA256SUMS" | tail -n 1)
  [ -n "$line" ] || fail "SHA256SUMS has no archive for $kind"
  archive=${line#*  }
  version=${archive#formbox-}
  version=${version%-"$kind".tar.gz}

  old=
  if [ -e "$folder/formbox" ]; then old=1; fi
  if [ -n "$old" ] && [ -z "$yes" ]; then
    printf 'Replace %s with version %s? [y/N] ' "$folder/formbox" "$version"
    answer=
    # A script that comes through a pipe is its own standard input.
    if [ -t 0 ]; then read -r answer; elif (: </dev/tty) 2>/dev/null; then read -r answer </dev/tty; else say ''; fi
    case $answer in y | Y | yes) ;; *) fail 'nothing was changed; --yes replaces it without a question' ;; esac
  fi

  say "Fetching Formbox $version for $kind"
  fetch "$archive" "$scratch/$archive"
  [ "$(sum "$scratch/$archive")" = "${line%% *}" ] || fail "$archive has another checksum than SHA256SUMS says; nothing was changed"
  tar -xzf "$scratch/$archive" -C "$scratch" || fail "cannot unpack $archive in $scratch; nothing was changed"

  mkdir -p "$folder" || fail "cannot write to $folder"
  # Beside the old one first: a server that runs goes on with the old file until it is restarted. It is tried there, because
  # many servers let nothing in /tmp run.
  new=$folder/.formbox.new
  cp "$scratch/formbox-$version-$kind/formbox" "$new" || fail "cannot write to $folder"
  chmod 755 "$new"
  hint=
  case $kind in *-musl) hint=' (on Alpine: apk add libstdc++)' ;; esac
  "$new" --version >/dev/null || fail "the executable does not run here$hint; nothing was changed"
  mv -f "$new" "$folder/formbox"
  say "Installed $folder/formbox"
  if [ -n "$old" ]; then
    say 'A server that is running keeps the old version until you restart it.'
  else
    case $kind in
      linux-*) say "For a service, take the archive or the Debian package instead: they have what systemd needs ($guide)." ;;
    esac
    say 'The data will be in formbox-data, in the folder where you start it.'
  fi
  case :$PATH: in *":$folder:"*) say 'Start it: formbox' ;; *) say "Start it: $folder/formbox" ;; esac
}

install "$@"
