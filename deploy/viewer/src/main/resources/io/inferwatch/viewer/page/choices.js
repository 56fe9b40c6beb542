// The dashboard's variables: for each, any number of its values, or all.

const ALL = "$__all";

/** Draws the choices and calls back when one changes; chosen: name to list, absent is all. */
export const drawChoices = (place, variables, values, chosen, changed) => {
  place.replaceChildren();
  for (const variable of variables) {
    const box = document.createElement("details");
    box.className = "choice";
    const summary = document.createElement("summary");
    const options = document.createElement("div");
    options.className = "options";
    const offered = values[variable.name] ?? [];
    const picked = new Set(chosen[variable.name] ?? []);
    const name = () => {
      const bold = document.createElement("b");
      bold.textContent = variable.label;
      summary.replaceChildren(bold, picked.size === 0 ? "All" : [...picked].slice(0, 2).join(", ") + (picked.size > 2 ? ` +${picked.size - 2}` : ""));
    };
    const boxes = [];
    const option = (text, isChecked, onChange) => {
      const line = document.createElement("label");
      const input = document.createElement("input");
      input.type = "checkbox";
      input.checked = isChecked;
      input.addEventListener("change", () => onChange(input.checked));
      line.append(input, text);
      options.append(line);
      return input;
    };
    const all = option("All", picked.size === 0, () => {
      picked.clear();
      boxes.forEach((one) => { one.checked = false; });
      apply();
    });
    const apply = () => {
      all.checked = picked.size === 0;
      name();
      changed(variable.name, [...picked]);
    };
    offered.forEach((value) => boxes.push(option(value || "(empty)", picked.has(value), (isChecked) => {
      if (isChecked) picked.add(value); else picked.delete(value);
      apply();
    })));
    if (offered.length === 0) {
      const none = document.createElement("p");
      none.textContent = "Nothing is stored yet.";
      options.append(none);
    }
    name();
    box.append(summary, options);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      box.open = false;
      summary.focus();
    });
    place.append(box);
  }
};

/** What the server is to be told of them. */
export const choiceParameters = (variables, chosen) => variables.flatMap(({ name }) => {
  const values = chosen[name] ?? [];
  return (values.length === 0 ? [ALL] : values).map((value) => [`var-${name}`, value]);
});
