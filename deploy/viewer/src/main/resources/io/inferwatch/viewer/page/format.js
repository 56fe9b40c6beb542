// Values with their units, by Grafana's names of units.

const digits = (value) => {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)));
  const text = value.toFixed(places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : Number(text).toLocaleString("en");
};

const scaled = (value, base, names) => {
  let step = 0;
  let left = value;
  while (Math.abs(left) >= base && step < names.length - 1) {
    left /= base;
    step++;
  }
  return [digits(left), names[step]];
};

const seconds = (value) => {
  const size = Math.abs(value);
  if (size === 0) return ["0", "s"];
  if (size < 1e-3) return [digits(value * 1e6), "µs"];
  if (size < 1) return [digits(value * 1e3), "ms"];
  if (size < 600) return [digits(value), "s"];
  if (size < 7200) return [digits(value / 60), "min"];
  return size < 172800 ? [digits(value / 3600), "h"] : [digits(value / 86400), "d"];
};

const short = (value) => (Math.abs(value) < 100_000 && Number.isInteger(value)
  ? [value.toLocaleString("en"), ""]
  : scaled(value, 1000, ["", "K", "M", "G", "T"]));

/** The number and the unit of a value. */
export const parts = (value, unit) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return ["–", ""];
  switch (unit) {
    case "s": return seconds(value);
    case "ms": return seconds(value / 1000);
    case "percentunit": return [digits(value * 100), "%"];
    case "reqps": { const [number, prefix] = short(value); return [number, `${prefix} req/s`.trim()]; }
    case "bytes": return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
    case "binBps": return scaled(value, 1024, ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"]);
    case "watt": return scaled(value, 1000, ["W", "kW", "MW"]);
    case "hertz": return scaled(value, 1000, ["Hz", "kHz", "MHz", "GHz"]);
    case "currencyUSD": return [digits(value), "$"];
    case "celsius": return [digits(value), "°C"];
    default: {
      const [number, prefix] = short(value);
      const suffix = unit?.startsWith("suffix:") ? unit.slice(7).trim() : "";
      return [number, [prefix, suffix].filter(Boolean).join(" ")];
    }
  }
};

/** A value with its unit. */
export const text = (value, unit) => parts(value, unit).filter(Boolean).join(" ").replace(/ (?=[KMGT%]$)/, "");

/** An instant, as precise as the range that it stands in asks for. */
export const time = (millis, rangeMillis = 0) => {
  const date = new Date(millis);
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (rangeMillis > 86_400_000) return date.toLocaleString("en-GB", { day: "numeric", month: "short", ...clock });
  return date.toLocaleTimeString("en-GB", rangeMillis > 3_600_000 ? clock : { ...clock, second: "2-digit" });
};
