// Which dashboard, which time, which choices: all of it stands in the address. Reads again every ten seconds.

import * as data from "/data.js";
import { choiceParameters, drawChoices } from "/choices.js";
import { Panel } from "/panels.js";

const RANGES = [["5m", "5 min"], ["15m", "15 min"], ["30m", "30 min"], ["1h", "1 h"], ["3h", "3 h"], ["6h", "6 h"], ["24h", "24 h"],
  ["7d", "7 days"], ["30d", "30 days"], ["365d", "1 year"]];
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const REFRESH_MILLIS = 10_000;
const byId = (id) => document.getElementById(id);
const page = { list: [], uid: "", json: null, panels: [], variables: [], values: {}, timer: 0, turn: 0 };

const address = () => {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { uid: path, parameters: new URLSearchParams(query) };
};

const range = () => address().parameters.get("range") ?? page.json.time.from.replace(/^now-/, "");

const chosen = () => {
  const found = {};
  for (const [name, value] of address().parameters) {
    if (name.startsWith("var-")) (found[name.slice(4)] ??= []).push(value);
  }
  return found;
};

const go = (change) => {
  const { uid, parameters } = address();
  change(parameters);
  const query = parameters.toString();
  history.replaceState(null, "", `#/${uid || page.uid}${query ? `?${query}` : ""}`);
};

const view = () => {
  const span = range();
  const toMillis = Date.now();
  const width = byId("panels").clientWidth / 2;
  return {
    uid: page.uid,
    toMillis,
    fromMillis: toMillis - parseInt(span, 10) * (UNITS[span.at(-1)] ?? UNITS.h),
    points: Math.round(Math.min(600, Math.max(100, width / 2))),
    choices: choiceParameters(page.variables, chosen()),
  };
};

const tell = (problem) => {
  byId("problem").hidden = !problem;
  byId("problem").textContent = problem ?? "";
};

/** Reads and draws every panel; a later turn makes an earlier one's end of no account. */
const read = async () => {
  clearTimeout(page.timer);
  const turn = ++page.turn;
  const now = view();
  let problem = null;
  const marks = await data.marks(now).catch((error) => { problem = error.message; return []; });
  await Promise.all(page.panels.map((panel) => panel.show(now, marks).catch((error) => { problem = error.message; })));
  if (turn !== page.turn) return;
  tell(problem);
  document.body.dataset.state = "ready";
  byId("freshness").textContent = `Read at ${new Date(now.toMillis).toLocaleTimeString("en-GB")} from InfluxDB; local and read-only. The same dashboards are in deploy/grafana, for Grafana.`;
  schedule();
};

const schedule = () => {
  clearTimeout(page.timer);
  if (byId("live").getAttribute("aria-pressed") === "true" && !document.hidden) page.timer = setTimeout(read, REFRESH_MILLIS);
};

const drawRanges = () => {
  const current = range();
  byId("range").replaceChildren(...RANGES.map(([value, name]) => new Option(name, value, false, value === current)));
};

const drawNavigation = () => {
  byId("dashboards").replaceChildren(...page.list.map((dashboard) => {
    const link = document.createElement("a");
    link.href = `#/${dashboard.uid}`;
    link.textContent = dashboard.title;
    link.title = dashboard.description;
    if (dashboard.uid === page.uid) link.setAttribute("aria-current", "page");
    return link;
  }));
};

const drawPanels = () => {
  page.panels.forEach((panel) => panel.close());
  page.panels = [];
  byId("panels").replaceChildren(...page.json.panels.map((json) => {
    if (json.type === "row") {
      const heading = document.createElement("h2");
      heading.textContent = json.title;
      return heading;
    }
    const panel = new Panel(json);
    page.panels.push(panel);
    return panel.frame;
  }));
};

const open = async () => {
  document.body.dataset.state = "loading";
  const uid = page.list.some((dashboard) => dashboard.uid === address().uid) ? address().uid : page.list[0].uid;
  if (uid !== page.uid) {
    page.uid = uid;
    page.json = await data.dashboard(uid);
    page.variables = page.json.templating.list.filter((variable) => variable.type === "query");
    page.values = {};
    document.title = `${page.json.title} · Inferwatch`;
    byId("title").textContent = page.json.title;
    byId("description").textContent = page.json.description;
    drawPanels();
  }
  drawNavigation();
  drawRanges();
  page.values = await data.variables(uid).catch(() => ({}));
  drawChoices(byId("variables"), page.variables, page.values, chosen(), (name, values) => {
    go((parameters) => {
      parameters.delete(`var-${name}`);
      values.forEach((value) => parameters.append(`var-${name}`, value));
    });
    read();
  });
  await read();
};

const setTheme = (theme) => {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
};

const preferred = matchMedia("(prefers-color-scheme: dark)");
setTheme(preferred.matches ? "dark" : "light");
preferred.addEventListener("change", () => { setTheme(preferred.matches ? "dark" : "light"); redraw(); });
byId("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  redraw();
});
const redraw = () => {
  page.panels.forEach((panel) => panel.close());
  read();
};
byId("range").addEventListener("change", (event) => {
  go((parameters) => parameters.set("range", event.target.value));
  read();
});
byId("live").addEventListener("click", (event) => {
  const isLive = event.currentTarget.getAttribute("aria-pressed") !== "true";
  event.currentTarget.setAttribute("aria-pressed", String(isLive));
  if (isLive) read(); else clearTimeout(page.timer);
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) read(); });
document.addEventListener("click", (event) => {
  document.querySelectorAll("details[open]").forEach((box) => { if (!box.contains(event.target)) box.open = false; });
});
addEventListener("hashchange", () => open().catch((error) => tell(error.message)));

try {
  page.list = await data.dashboards();
  await open();
} catch (error) {
  tell(error.message);
}
