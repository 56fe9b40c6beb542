// Charts over time, heat maps, sparklines.

import uPlot from "/uPlot.esm.js";
import { text, time } from "/format.js";

const PALETTE = ["#4c8ee8", "#e8822c", "#2fa56b", "#9a7be0", "#d9a021", "#1fa3b8", "#c65aa0", "#dd4b4b", "#7f93a8", "#8aa832"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const cursors = uPlot.sync("page");

export const colorAt = (index) => PALETTE[index % PALETTE.length];

/** What the dashboard says of a series beside the panel's defaults. */
export const override = (panel, name) => {
  const found = {};
  for (const { matcher, properties } of panel.fieldConfig.overrides ?? []) {
    if (matcher.options === name) properties.forEach(({ id, value }) => { found[id] = value; });
  }
  return found;
};

export const colorOf = (panel, name, index) => override(panel, name).color?.fixedColor ?? colorAt(index);

const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Values between gaps have no line to show them: they are dots, however dense the chart is. */
const lonely = (plot, index, shown) => {
  if (shown) return null;
  const y = plot.data[index];
  const isNone = (value) => value === null || value === undefined;
  return y.flatMap((value, i) => (!isNone(value) && (i === 0 || y[i - 1] === null) && (i === y.length - 1 || y[i + 1] === null) ? [i] : []));
};

/** Bridges gaps that are shorter than the panel allows: undefined joins its neighbours, null parts them. */
const bridged = (line, longestMillis) => {
  const y = [...line.y];
  let last = -1;
  for (let i = 0; i < y.length; i++) {
    if (y[i] === null) continue;
    if (last >= 0 && (line.x[i] - line.x[last]) * 1000 <= longestMillis) y.fill(undefined, last + 1, i);
    last = i;
  }
  return y;
};

const stackedUp = (rows) => {
  const sums = [];
  const isGap = (i) => rows.every((row) => row[i] === null);
  return rows.map((row) => row.map((value, i) => {
    if (isGap(i)) return null;
    sums[i] = (sums[i] ?? 0) + (value ?? 0);
    return sums[i];
  }));
};

/** A chart over time that can be given new lines; answers whether they fitted into it. */
export class TimeChart {
  constructor(place, panel, lines, view, marks) {
    this.place = place;
    this.panel = panel;
    this.custom = panel.fieldConfig.defaults.custom ?? {};
    this.unit = panel.fieldConfig.defaults.unit;
    this.isStacked = this.custom.stacking?.mode === "normal";
    this.names = lines.map((line) => line.name);
    this.marks = marks;
    this.chart = document.createElement("div");
    this.chart.className = "chart";
    this.chart.tabIndex = 0;
    this.chart.setAttribute("role", "img");
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.place.append(this.chart);
    this.drawLegend(lines);
    this.plot = new uPlot(this.options(lines, view), this.aligned(lines), this.chart);
    this.chart.append(this.tip);
    this.chart.addEventListener("keydown", (event) => this.step(event));
    this.chart.addEventListener("focusout", () => { this.tip.hidden = true; });
    this.sizes = new ResizeObserver(() => this.plot.setSize(this.size()));
    this.sizes.observe(this.chart);
    this.describe(lines);
  }

  update(lines, view, marks) {
    if (lines.length !== this.names.length || lines.some((line, i) => line.name !== this.names[i])) return false;
    this.marks = marks;
    this.view = view;
    this.plot.setData(this.aligned(lines), true);
    this.describe(lines);
    return true;
  }

  close() {
    this.sizes.disconnect();
    this.plot.destroy();
  }

  size() {
    return { width: Math.max(80, this.chart.clientWidth), height: Math.max(60, this.chart.clientHeight) };
  }

  aligned(lines) {
    this.raw = lines.map((line) => line.y);
    const xs = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    const spread = lines.map((line) => {
      const y = new Array(xs.length).fill(null);
      line.x.forEach((x, i) => { y[place.get(x)] = line.y[i]; });
      return { x: xs, y };
    });
    this.raw = spread.map((line) => line.y);
    const drawn = this.isStacked ? stackedUp(this.raw) : spread.map((line) => bridged(line, this.custom.spanNulls ?? 0));
    return [xs, ...drawn];
  }

  options(lines, view) {
    this.view = view;
    const bands = [];
    lines.forEach((line, i) => {
      const below = override(this.panel, line.column)["custom.fillBelowTo"];
      const low = lines.findIndex((other) => other.name === below);
      if (low >= 0) bands.push({ series: [i + 1, low + 1], fill: `${colorOf(this.panel, line.column, i)}38` });
      if (this.isStacked && i > 0) bands.push({ series: [i + 1, i], fill: `${colorAt(i)}66` });
    });
    const axis = { font: FONT, stroke: () => css("--quiet"), grid: { stroke: () => css("--grid"), width: 1 }, ticks: { show: false } };
    const { min, max } = this.panel.fieldConfig.defaults;
    return {
      ...this.size(),
      legend: { show: false },
      padding: [8, 20, 0, 0],
      cursor: { sync: { key: cursors.key, setSeries: false }, drag: { x: false, y: false }, points: { size: 6 }, y: false },
      scales: {
        x: { time: true, range: () => [this.view.fromMillis / 1000, this.view.toMillis / 1000] },
        y: { range: (_, low, high) => [min ?? Math.min(0, low ?? 0), max ?? this.top(low, high)] },
      },
      axes: [
        { ...axis, size: 24, gap: 4, space: 70, values: (_, splits) => splits.map((at) => axisTime(at, this.view)) },
        { ...axis, size: (_, labels) => axisWidth(labels), space: 34, ...(this.unit === "bytes" && { incrs: POWERS_OF_TWO }), values: (_, splits) => splits.map((value) => text(value, this.unit)) },
      ],
      series: [{}, ...lines.map((line, i) => {
        const own = override(this.panel, line.column);
        const width = own["custom.lineWidth"] ?? this.custom.lineWidth ?? 1.5;
        return {
          label: line.name,
          stroke: colorOf(this.panel, line.column, i),
          width,
          fill: this.isStacked && i === 0 ? `${colorAt(0)}66` : undefined,
          points: { ...(width === 0 ? { show: false } : { filter: lonely }), size: this.custom.pointSize ?? 4 },
        };
      })],
      bands,
      hooks: { draw: [(plot) => this.drawLimits(plot), (plot) => this.drawMarks(plot)], setCursor: [(plot) => this.showTip(plot)] },
    };
  }

  /** Room above the lines; a limit that is near comes into sight. */
  top(low, high) {
    const greatest = Math.max(high ?? 0, 0);
    const near = this.limits().filter((limit) => limit > greatest && limit < greatest * 2);
    return Math.max(greatest, ...near) * 1.08 || 1;
  }

  limits() {
    if ((this.custom.thresholdsStyle?.mode ?? "off") === "off") return [];
    return this.panel.fieldConfig.defaults.thresholds.steps.filter((step) => step.value !== null).map((step) => step.value);
  }

  drawLimits(plot) {
    const steps = this.panel.fieldConfig.defaults.thresholds.steps;
    this.limits().forEach((limit) => {
      const y = plot.valToPos(limit, "y", true);
      if (y < plot.bbox.top || y > plot.bbox.top + plot.bbox.height) return;
      this.stroke(plot, steps.find((step) => step.value === limit).color, [plot.bbox.left, y], [plot.bbox.left + plot.bbox.width, y]);
    });
  }

  drawMarks(plot) {
    this.visibleMarks().forEach((mark) => {
      const x = plot.valToPos(mark.at, "x", true);
      this.stroke(plot, mark.color, [x, plot.bbox.top], [x, plot.bbox.top + plot.bbox.height]);
    });
  }

  visibleMarks() {
    return this.marks.filter((mark) => mark.at * 1000 >= this.view.fromMillis && mark.at * 1000 <= this.view.toMillis);
  }

  stroke(plot, color, from, to) {
    const { ctx } = plot;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
    ctx.restore();
  }

  /** Only where the pointer or the focus is: the other charts show the line alone. */
  showTip(plot) {
    const { idx, left } = plot.cursor;
    const isHere = this.chart.matches(":hover") || this.chart === document.activeElement;
    if (!isHere || idx === null || idx === undefined || left < 0) {
      this.tip.hidden = true;
      return;
    }
    this.tip.replaceChildren(tipLine(time(plot.data[0][idx] * 1000, this.view.toMillis - this.view.fromMillis), ""));
    const shown = this.names.map((name, i) => [name, this.raw[i][idx], i]).filter(([, value, i]) => value !== null && plot.series[i + 1].show);
    if (!this.isStacked) shown.sort((a, b) => b[1] - a[1]);
    shown.slice(0, 12).forEach(([name, value, i]) => this.tip.append(tipLine(name, text(value, this.unit), plot.series[i + 1]._stroke ?? plot.series[i + 1].stroke())));
    this.visibleMarks()
      .filter((mark) => Math.abs(plot.valToPos(mark.at, "x") - left) < 6)
      .forEach((mark) => this.tip.append(tipLine(`${mark.name}: ${mark.text}`, "", mark.color)));
    this.tip.hidden = false;
    const offset = plot.over.offsetLeft + left;
    const isRight = offset > this.chart.clientWidth / 2;
    this.tip.style.left = isRight ? "" : `${offset + 12}px`;
    this.tip.style.right = isRight ? `${this.chart.clientWidth - offset + 12}px` : "";
    this.tip.style.top = "6px";
  }

  step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const last = this.plot.data[0].length - 1;
    const at = Math.min(last, Math.max(0, (this.plot.cursor.idx ?? last) + by));
    this.plot.setCursor({ left: this.plot.valToPos(this.plot.data[0][at], "x"), top: 10 });
  }

  drawLegend(lines) {
    const legend = document.createElement("div");
    legend.className = "legend";
    lines.forEach((line, i) => {
      const own = override(this.panel, line.column);
      if (own["custom.hideFrom"]?.legend) return;
      const button = document.createElement("button");
      button.type = "button";
      button.title = `Show or hide ${line.name}`;
      button.setAttribute("aria-pressed", "true");
      button.append(swatch(colorOf(this.panel, line.column, i)), label(line.name));
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(show));
        this.plot.setSeries(i + 1, { show });
      });
      legend.append(button);
    });
    this.place.append(legend);
  }

  describe(lines) {
    const last = lines.map((line) => {
      const value = line.y.findLast((one) => one !== null);
      return `${line.name} ${text(value, this.unit)}`;
    });
    this.chart.setAttribute("aria-label", `${this.panel.title}, last: ${last.slice(0, 6).join("; ")}`);
  }
}

const ruler = document.createElement("canvas").getContext("2d");
const axisWidth = (labels) => {
  ruler.font = FONT;
  return 14 + Math.max(24, ...(labels ?? []).map((one) => ruler.measureText(one).width));
};

const axisTime = (at, view) => {
  const range = view.toMillis - view.fromMillis;
  const date = new Date(at * 1000);
  if (range > 2 * 86_400_000) return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(range < 300_000 && { second: "2-digit" }) });
};

export const swatch = (color) => {
  const mark = document.createElement("i");
  mark.className = "swatch";
  mark.style.background = color;
  return mark;
};

export const label = (content) => {
  const span = document.createElement("span");
  span.textContent = content;
  return span;
};

const tipLine = (name, value, color) => {
  const line = document.createElement("div");
  if (color) line.append(swatch(color));
  line.append(label(name));
  if (value) {
    const bold = document.createElement("b");
    bold.textContent = value;
    line.append(bold);
  }
  return line;
};

/** One line a series; the stronger the colour, the greater the value. */
export class HeatMap {
  constructor(place, panel, lines, view) {
    this.panel = panel;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.scale = document.createElement("div");
    this.scale.className = "scale";
    this.ramp = document.createElement("canvas");
    const heat = document.createElement("div");
    heat.className = "heat";
    heat.append(this.canvas, this.scale);
    place.append(heat, this.tip);
    this.canvas.addEventListener("mousemove", (event) => this.showTip(event));
    this.canvas.addEventListener("mouseleave", () => { this.tip.hidden = true; });
    this.update(lines, view);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.canvas);
  }

  update(lines, view) {
    this.lines = [...lines].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    this.view = view;
    const values = lines.flatMap((line) => line.y).filter((value) => value !== null);
    this.low = this.panel.fieldConfig.defaults.min ?? Math.min(...values);
    this.high = this.panel.fieldConfig.defaults.max ?? Math.max(...values);
    const unit = this.panel.fieldConfig.defaults.unit;
    this.scale.replaceChildren(label(text(this.low, unit)), this.ramp, label(text(this.high, unit)));
    this.canvas.setAttribute("aria-label", `${this.panel.title}: ${lines.length} series from ${text(this.low, unit)} to ${text(this.high, unit)}`);
    this.draw();
    return true;
  }

  close() {
    this.sizes.disconnect();
  }

  /** From the panel's ground to the colour of the tail. */
  color(share) {
    const mixed = Math.round(8 + 92 * Math.min(1, Math.max(0, share)));
    return `color-mix(in oklab, #e8702a ${mixed}%, ${css("--panel")})`;
  }

  draw() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const context = sized(this.canvas, width, height);
    context.font = FONT;
    this.labels = Math.min(width * 0.36, 12 + Math.max(...this.lines.map((line) => context.measureText(line.name).width)));
    this.bottom = 20;
    this.rowHeight = Math.min(40, (height - this.bottom) / this.lines.length);
    this.pixel = (seconds) => this.labels + ((seconds * 1000 - this.view.fromMillis) / (this.view.toMillis - this.view.fromMillis)) * (width - this.labels);
    context.textBaseline = "middle";
    const every = Math.ceil(14 / this.rowHeight);
    this.lines.forEach((line, row) => {
      const y = row * this.rowHeight;
      context.fillStyle = css("--quiet");
      if (row % every === 0) context.fillText(fitted(context, line.name, this.labels - 10), 0, y + this.rowHeight / 2);
      const step = line.x.length > 1 ? this.pixel(line.x[1]) - this.pixel(line.x[0]) : 8;
      line.x.forEach((x, i) => {
        if (line.y[i] === null) return;
        context.fillStyle = this.color((line.y[i] - this.low) / (this.high - this.low || 1));
        const left = Math.max(this.labels, this.pixel(x) - step);
        context.fillRect(left, y + 1, Math.max(1, this.pixel(x) - left - (step > 5 ? 1 : 0)), Math.max(1, this.rowHeight - 2));
      });
    });
    this.drawTimes(context, width, this.lines.length * this.rowHeight + 12);
    this.drawRamp();
  }

  drawTimes(context, width, y) {
    const count = Math.max(2, Math.floor((width - this.labels) / 90));
    context.fillStyle = css("--quiet");
    context.textAlign = "center";
    for (let i = 1; i < count; i++) {
      const at = this.view.fromMillis + ((this.view.toMillis - this.view.fromMillis) * i) / count;
      context.fillText(axisTime(at / 1000, this.view), this.pixel(at / 1000), y);
    }
  }

  drawRamp() {
    const context = sized(this.ramp, 140, 8);
    for (let x = 0; x < 140; x++) {
      context.fillStyle = this.color(x / 140);
      context.fillRect(x, 0, 1, 8);
    }
  }

  showTip(event) {
    const line = this.lines[Math.floor(event.offsetY / this.rowHeight)];
    const index = line?.x.findIndex((x) => this.pixel(x) >= event.offsetX) ?? -1;
    this.tip.hidden = event.offsetX < this.labels || index < 0 || line.y[index] === null;
    if (this.tip.hidden) return;
    this.tip.replaceChildren(
      tipLine(time(line.x[index] * 1000, this.view.toMillis - this.view.fromMillis), ""),
      tipLine(line.name, text(line.y[index], this.panel.fieldConfig.defaults.unit)),
    );
    const isRight = event.offsetX > this.canvas.clientWidth / 2;
    this.tip.style.left = isRight ? "" : `${event.offsetX + 12}px`;
    this.tip.style.right = isRight ? `${this.canvas.clientWidth - event.offsetX + 12}px` : "";
    this.tip.style.top = `${Math.min(event.offsetY + 10, this.canvas.clientHeight - 40)}px`;
  }
}

const sized = (canvas, width, height) => {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  const context = canvas.getContext("2d");
  context.scale(devicePixelRatio, devicePixelRatio);
  return context;
};

const fitted = (context, content, width) => {
  if (context.measureText(content).width <= width) return content;
  let end = content.length;
  while (end > 1 && context.measureText(`${content.slice(0, end)}…`).width > width) end--;
  return `${content.slice(0, end)}…`;
};
