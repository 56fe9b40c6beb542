// One panel of the dashboard's JSON: its frame, its data, and what it draws.

import * as data from "/data.js";
import { HeatMap, TimeChart, colorAt, label, override } from "/charts.js";
import { parts, text, time } from "/format.js";

const SVG = "http://www.w3.org/2000/svg";
const TONES = {
  DRIFT: "bad", FIRING: "bad", PAGE: "bad",
  INCONCLUSIVE: "warning", PENDING: "warning", TICKET: "warning",
  NO_DRIFT: "good", RESOLVED: "good",
  NOT_ESTIMABLE: "plain", EXPIRED: "plain", ANNOTATION: "plain",
};

const HEADS = { gpu: "GPU", mig: "MIG" };

const element = (name, className, content) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
};

const drawn = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
};

/** A panel on the page; show() reads and draws it, also again. */
export class Panel {
  constructor(panel) {
    this.panel = panel;
    this.frame = element("section", "panel");
    this.frame.dataset.type = panel.type;
    this.frame.dataset.title = panel.title;
    this.frame.dataset.state = "loading";
    this.frame.style.setProperty("--w", panel.gridPos.w);
    this.frame.style.setProperty("--h", panel.gridPos.h);
    this.body = element("div", "body");
    this.frame.append(this.header(), this.body);
    this.current = null;
  }

  header() {
    const header = element("header");
    const title = element("h3", "", this.panel.title);
    title.title = this.panel.title;
    const about = element("details", "about-panel");
    const summary = element("summary", "", "?");
    summary.setAttribute("aria-label", `About ${this.panel.title}`);
    summary.title = this.panel.description;
    about.append(summary, element("p", "", this.panel.description));
    header.append(title, about);
    const [link] = this.panel.links ?? [];
    if (link) {
      const more = element("a", "more", `${link.title} →`);
      more.href = `#/${link.url.match(/^\/d\/([^?]+)/)[1]}`;
      more.setAttribute("aria-label", `${link.title} on ${this.panel.title}`);
      header.append(more);
    }
    return header;
  }

  async show(view, marks) {
    try {
      const answers = await data.answers(view, this.panel);
      if (!data.hasValues(answers)) {
        this.say("empty", this.panel.fieldConfig.defaults.noValue);
        return;
      }
      this.draw(answers, view, marks);
      this.frame.dataset.state = "data";
    } catch (problem) {
      this.say("error", problem.message);
      throw problem;
    }
  }

  close() {
    this.current?.close?.();
    this.current = null;
    this.body.replaceChildren();
  }

  say(state, message) {
    this.close();
    this.frame.dataset.state = state;
    this.body.append(element("p", state, message));
  }

  draw(answers, view, marks) {
    switch (this.panel.type) {
      case "timeseries": this.keep(TimeChart, data.lines(answers), view, marks); break;
      case "heatmap": this.keep(HeatMap, data.lines(answers), view, marks); break;
      case "stat": this.replace(this.stat(data.lines(answers)[0])); break;
      case "gauge": this.replace(this.gauge(data.lines(answers)[0])); break;
      case "table": this.replace(this.table(answers, view)); break;
      case "barchart": this.replace(this.bars(answers)); break;
      default: throw new Error(`panels of type ${this.panel.type} are not drawn here`);
    }
  }

  /** Charts stay while they fit, so that reading again does not take them from under the pointer. */
  keep(Chart, found, view, marks) {
    const lines = found.filter((line) => line.y.some((value) => value !== null));
    if (this.current?.update(lines, view, marks)) return;
    this.close();
    this.current = new Chart(this.body, this.panel, lines, view, marks);
  }

  replace(content) {
    const scrolled = this.body.querySelector(".scroll")?.scrollTop ?? 0;
    this.close();
    this.body.append(content);
    const scroll = this.body.querySelector(".scroll");
    if (scroll) scroll.scrollTop = scrolled;
  }

  judged(value) {
    return this.panel.fieldConfig.defaults.thresholds.steps.findLast((step) => step.value === null || value >= step.value).color;
  }

  stat(line) {
    const value = line.y.findLast((one) => one !== null);
    const [number, unit] = parts(value, this.panel.fieldConfig.defaults.unit);
    const made = element("div", "stat");
    const output = element("output", "", number);
    if (unit) output.append(element("small", "", unit));
    made.append(output, this.spark(line.y, this.judged(value)));
    return made;
  }

  spark(y, color) {
    const known = y.map((value, i) => [i, value]).filter(([, value]) => value !== null);
    const top = Math.max(...known.map(([, value]) => value)) || 1;
    const points = known.map(([i, value]) => `${((i / Math.max(1, y.length - 1)) * 100).toFixed(2)},${(30 - (value / top) * 27).toFixed(2)}`);
    const made = drawn("svg", { viewBox: "0 0 100 31", preserveAspectRatio: "none", "aria-hidden": "true" });
    const first = points[0].split(",")[0];
    const last = points.at(-1).split(",")[0];
    made.append(
      drawn("polygon", { points: `${first},31 ${points.join(" ")} ${last},31`, fill: color, "fill-opacity": 0.14 }),
      drawn("polyline", { points: points.join(" "), fill: "none", stroke: color, "stroke-width": 1.5, "vector-effect": "non-scaling-stroke" }),
    );
    return made;
  }

  gauge(line) {
    const { min = 0, max = 1, unit } = this.panel.fieldConfig.defaults;
    const value = line.y.findLast((one) => one !== null);
    const share = Math.min(1, Math.max(0, (value - min) / (max - min)));
    const arc = (to) => {
      const angle = Math.PI * (1 - to);
      return `M 10 60 A 50 50 0 0 1 ${(60 + 50 * Math.cos(angle)).toFixed(2)} ${(60 - 50 * Math.sin(angle)).toFixed(2)}`;
    };
    const made = element("div", "gauge");
    const svg = drawn("svg", { viewBox: "0 0 120 66", role: "img", "aria-label": `${this.panel.title}: ${text(value, unit)}` });
    const ground = drawn("path", { d: arc(1), fill: "none", "stroke-width": 11, "stroke-linecap": "round" });
    ground.style.stroke = "var(--grid)";
    const filled = drawn("path", { d: arc(share), fill: "none", stroke: this.judged(value), "stroke-width": 11, "stroke-linecap": "round" });
    const number = drawn("text", { x: 60, y: 58, "text-anchor": "middle", "font-size": 19 });
    number.textContent = text(value, unit);
    svg.append(ground, ...(share > 0 ? [filled] : []), number);
    made.append(svg);
    return made;
  }

  unitOf(head) {
    return override(this.panel, head).unit ?? this.panel.fieldConfig.defaults.unit;
  }

  table(answers, view) {
    const keepsTime = !override(this.panel, "Time")["custom.hidden"];
    const { heads, rows } = data.table(answers, keepsTime);
    const sort = this.sort;
    if (sort) rows.sort((a, b) => compared(a[sort.head], b[sort.head]) * sort.sign);
    const numeric = new Set(heads.filter((head) => head !== "time" && rows.some((row) => typeof row[head] === "number")));
    const body = element("tbody");
    for (const row of rows) {
      const line = element("tr");
      heads.forEach((head) => line.append(this.cell(head, row[head], numeric.has(head), view)));
      body.append(line);
    }
    const table = element("table");
    table.append(this.heads(heads, numeric, () => this.replace(this.table(answers, view))), body);
    const scroll = element("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", this.panel.title);
    scroll.append(table);
    return scroll;
  }

  heads(heads, numeric, again) {
    const line = element("tr");
    heads.forEach((head) => {
      const cell = element("th", numeric.has(head) ? "number" : "");
      cell.scope = "col";
      const button = element("button", "", HEADS[head] ?? head[0].toUpperCase() + head.slice(1));
      button.type = "button";
      if (this.sort?.head === head) cell.setAttribute("aria-sort", this.sort.sign > 0 ? "ascending" : "descending");
      button.addEventListener("click", () => {
        const sign = this.sort?.head === head ? -this.sort.sign : numeric.has(head) ? -1 : 1;
        this.sort = { head, sign };
        again();
      });
      cell.append(button);
      line.append(cell);
    });
    const made = element("thead");
    made.append(line);
    return made;
  }

  cell(head, value, isNumber, view) {
    const isLong = String(value ?? "").length > 40 || String(value).includes("\n");
    const cell = element("td", isNumber ? "number" : isLong ? "long" : "");
    if (head === "time") {
      cell.className = "number";
      cell.textContent = time(value / 1000, view.toMillis - view.fromMillis);
    } else if (TONES[value]) {
      cell.append(element("span", `pill ${TONES[value]}`, value.toLowerCase().replaceAll("_", " ")));
    } else {
      cell.textContent = isNumber ? text(value, this.unitOf(head)) : value ?? "";
    }
    return cell;
  }

  bars(answers) {
    const { heads, rows } = data.table(answers, false);
    const valueHead = heads.at(-1);
    rows.sort((a, b) => b[valueHead] - a[valueHead]);
    const greatest = Math.max(...rows.map((row) => row[valueHead])) || 1;
    const made = element("div", "bars");
    rows.forEach((row) => {
      const name = heads.slice(0, -1).map((head) => row[head]).filter(Boolean).join(" · ");
      const named = element("div", "name", name);
      named.title = name;
      const value = element("div", "value");
      const bar = element("div", "bar");
      bar.style.width = `${(row[valueHead] / greatest) * 80}%`;
      bar.style.background = colorAt(0);
      value.append(bar, label(text(row[valueHead], this.unitOf(valueHead))));
      made.append(named, value);
    });
    return made;
  }
}

const compared = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
};
