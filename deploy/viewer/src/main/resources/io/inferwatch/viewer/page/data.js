// Asks the local server; nothing else can be asked.

const get = async (path, parameters = []) => {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(query ? `${path}?${query}` : path);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
};

export const dashboards = () => get("/api/dashboards");
export const dashboard = (uid) => get("/api/dashboard", [["uid", uid]]);
export const variables = (uid) => get("/api/variables", [["dashboard", uid]]);

const ranged = (view) => [
  ["dashboard", view.uid], ["from", view.fromMillis], ["to", view.toMillis], ["points", view.points], ...view.choices,
];

export const marks = async (view) =>
  (await get("/api/marks", ranged(view))).map((mark) => ({ ...mark, at: mark.atMicros / 1e6 }));

/** The answers of all queries of a panel: series with tags, columns and rows. */
export const answers = (view, panel) => Promise.all((panel.targets ?? []).map(async (target) => {
  const answer = await get("/api/query", [["panel", panel.id], ["ref", target.refId], ...ranged(view)]);
  return { target, series: answer.series };
}));

/** Lines over time: a name, x in seconds, y by x; null where nothing was measured. */
export const lines = (panelAnswers) => panelAnswers.flatMap(({ target, series }) =>
  series.flatMap(({ tags, columns, rows }) => columns.slice(1).map((column, index) => ({
    name: named(target.alias ?? "$col", tags, column),
    column,
    x: rows.map((row) => row[0] / 1e6),
    y: rows.map((row) => row[index + 1]),
  }))));

/** A tag that a series has none of says nothing, unless nothing else does. */
const named = (alias, tags, column) => {
  const parts = alias.split(" · ").map((part) => (part === "$col" ? column : tags[part.replace("$tag_", "")] ?? part));
  const telling = parts.filter((part) => part !== "none");
  return (telling.length > 0 ? telling : parts).join(" · ");
};

/** In the query's order. */
const tagsOf = (target) => [...(target.query.split(" GROUP BY ")[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, tag]) => tag);

/** Rows of a table: heads, and for each row a cell a head. Instants of rows that are points stay; others are the range's beginning and go. */
export const table = (panelAnswers, keepsTime) => {
  const heads = [];
  const rows = [];
  const head = (name) => { if (!heads.includes(name)) heads.push(name); };
  if (keepsTime) head("time");
  for (const { target, series } of panelAnswers) {
    // A column of a tag that no row has would say nothing.
    tagsOf(target).filter((tag) => series.some(({ tags }) => tags[tag])).forEach(head);
    for (const { tags, columns, rows: found } of series) {
      columns.slice(1).forEach(head);
      for (const values of found) {
        const row = { ...tags };
        columns.forEach((column, index) => { row[column] = values[index]; });
        rows.push(row);
      }
    }
  }
  return { heads, rows };
};

export const hasValues = (panelAnswers) => panelAnswers.some(({ series }) =>
  series.some(({ rows }) => rows.some((row) => row.slice(1).some((value) => value !== null))));
