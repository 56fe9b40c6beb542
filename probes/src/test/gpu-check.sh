#!/usr/bin/env bash
# Checks the GPU probe on a machine with a real GPU: builds, reads every device with it and with nvidia-smi, runs the canary, and prints pass or FAIL for each field.
# Exit status: 0 all passed, 1 something failed, 2 there is nothing to check with.
set -uo pipefail
home="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failed=0

command -v nvidia-smi >/dev/null || {
  echo "gpu-check: needs nvidia-smi, which comes with the driver" >&2
  exit 2
}

# GPU FIELD OURS THEIRS pass|FAIL|skip
say() {
  printf '%-5s %-4s %-28s %-26s %s\n' "$5" "$1" "$2" "$3" "$4"
  [[ "$5" != FAIL ]] || failed=1
}

# Our value of a field of a GPU; "-" where there is none.
ours() {
  awk -v gpu="$1" -v field="$2" '
    /^GPU / { here = ($2 == gpu && $0 !~ /MIG instance/) }
    here && $1 == field { sub(/^ *[^ ]+ +/, ""); print; found = 1; exit }
    END { if (!found) print "-" }' "$work/check.txt"
}

is_number() { [[ "$1" =~ ^[0-9]+(\.[0-9]+)?$ ]]; }

# Compares a field with what nvidia-smi says in a unit, within a part of it and an amount: what moves, moves between the two readings.
compare() {
  local gpu="$1" field="$2" theirs="$3" unit="$4" part="$5" amount="$6" own
  own="$(ours "$gpu" "$field")"
  if ! is_number "$theirs"; then
    if is_number "$own"; then say "$gpu" "$field" "$own" "$theirs" skip; else say "$gpu" "$field" "$own" "$theirs" pass; fi
  elif ! is_number "$own"; then
    say "$gpu" "$field" "$own" "$theirs" FAIL
  elif awk -v o="$own" -v t="$theirs" -v u="$unit" -v p="$part" -v a="$amount" \
    'BEGIN { d = o - t * u; if (d < 0) d = -d; exit !(d <= t * u * p + a) }'; then
    say "$gpu" "$field" "$own" "$theirs" pass
  else
    say "$gpu" "$field" "$own" "$theirs" FAIL
  fi
}

# Checks that a field is a number within limits.
between() {
  local gpu="$1" field="$2" least="$3" most="$4" own
  own="$(ours "$gpu" "$field")"
  if is_number "$own" && awk -v o="$own" -v l="$least" -v m="$most" 'BEGIN { exit !(o >= l && o <= m) }'; then
    say "$gpu" "$field" "$own" "$least to $most" pass
  else
    say "$gpu" "$field" "$own" "$least to $most" FAIL
  fi
}

"$home/inferwatch" probe gpu check --canary >"$work/check.txt" 2>"$work/check.err"
status=$?
cat "$work/check.txt" "$work/check.err"
[[ $status -eq 0 ]] || {
  echo "gpu-check: 'inferwatch probe gpu check --canary' ended with $status" >&2
  exit 1
}
echo
printf '%-5s %-4s %-28s %-26s %s\n' "" GPU field probe "nvidia-smi or limits"

query=index,uuid,driver_version,memory.total,memory.used,memory.reserved,memory.free,utilization.gpu,power.draw
query+=,enforced.power.limit,temperature.gpu,temperature.memory,clocks.sm,clocks.mem,clocks.max.sm
query+=,pcie.link.gen.current,pcie.link.width.current,mig.mode.current
while IFS=',' read -r gpu uuid driver total used reserved free busy power limit heat memory_heat sm memory max_sm generation width mig; do
  line="$(grep "^GPU $gpu " "$work/check.txt" | grep -v 'MIG instance')"
  [[ "$line" == *"$uuid"* ]] && result=pass || result=FAIL
  say "$gpu" uuid "${line:0:24}" "$uuid" "$result"
  [[ "$line" == *"driver $driver,"* ]] && result=pass || result=FAIL
  say "$gpu" driver - "$driver" "$result"
  mib=1048576
  compare "$gpu" totalBytes "$total" $mib 0 $mib
  compare "$gpu" usedBytes "$used" $mib 0.05 $((512 * mib))
  compare "$gpu" reservedBytes "$reserved" $mib 0 $((2 * mib))
  compare "$gpu" freeBytes "$free" $mib 0.05 $((512 * mib))
  compare "$gpu" busyPpm "$busy" 10000 0 300000
  compare "$gpu" powerMilliwatts "$power" 1000 0.4 20000
  compare "$gpu" powerLimitMilliwatts "$limit" 1000 0 10
  compare "$gpu" temperatureCelsius "$heat" 1 0 8
  compare "$gpu" memoryTemperatureCelsius "$memory_heat" 1 0 8
  compare "$gpu" smClockMegahertz "$sm" 1 1 500
  compare "$gpu" memoryClockMegahertz "$memory" 1 1 500
  compare "$gpu" maxSmClockMegahertz "$max_sm" 1 0 0
  compare "$gpu" pcieGeneration "$generation" 1 0 5
  compare "$gpu" pcieWidth "$width" 1 0 0
  own="$(ours "$gpu" totalBytes)"
  sum="$(awk -v a="$(ours "$gpu" usedBytes)" -v b="$(ours "$gpu" reservedBytes)" -v c="$(ours "$gpu" freeBytes)" 'BEGIN { printf "%.0f", a + b + c }')"
  if [[ "$(ours "$gpu" memorySource)" == nvml-v2 ]]; then
    awk -v o="$own" -v s="$sum" -v m=$mib 'BEGIN { d = o - s; if (d < 0) d = -d; exit !(d <= m) }' && result=pass || result=FAIL
    say "$gpu" "used+reserved+free" "$sum" "$own" "$result"
  fi
  # Hopper and later have these.
  for field in smActivePpm tensorActivePpm dramActivePpm; do
    if is_number "$(ours "$gpu" "$field")"; then between "$gpu" "$field" 0 1000000; else say "$gpu" "$field" "$(ours "$gpu" "$field")" - skip; fi
  done
  if [[ "$mig" == Enabled ]]; then
    say "$gpu" canary "$(ours "$gpu" canary)" "not with MIG" skip
    continue
  fi
  [[ "$(ours "$gpu" canary)" =~ ^(WHOLE|CUT_SHORT)$ ]] && result=pass || result=FAIL
  say "$gpu" canary "$(ours "$gpu" canary)" "WHOLE or CUT_SHORT" "$result"
  between "$gpu" launchNanos 1000 5000000
  between "$gpu" deviceCopyBytesPerSecond 50000000000 30000000000000
  most="$(ours "$gpu" pcieMaxBytesPerSecond)"
  is_number "$most" || most=1000000000000
  between "$gpu" hostToDeviceBytesPerSecond 500000000 "$most"
  between "$gpu" deviceToHostBytesPerSecond 500000000 "$most"
  between "$gpu" largestAllocatableBytes 1048576 50331648
done < <(nvidia-smi --query-gpu="$query" --format=csv,noheader,nounits | sed 's/, */,/g')

left="$(find "${TMPDIR:-/tmp}" -maxdepth 2 -name 'libJCuda*' 2>/dev/null | head -n 1)"
[[ -z "$left" ]] && result=pass || result=FAIL
say - "temporary files" "${left:--}" "none left" "$result"
"$home/inferwatch" probe gpu topology >"$work/topology.txt" 2>&1
status=$?
cat "$work/topology.txt"
[[ $status -le 1 ]] && result=pass || result=FAIL
say - topology "$status" "0 or 1" "$result"
exit "$failed"
