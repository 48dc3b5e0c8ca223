"use strict";
(() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const tools = document.createElement("nav");
  tools.setAttribute("aria-label", "View");
  const add = (name, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", act);
    tools.append(button);
  };
  add("Open all", () => all("details").forEach((d) => { d.open = true; }));
  add("Close all", () => all("details").forEach((d) => { d.open = false; }));
  add("Light or dark", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const calls = all("details.call");
  const find = document.createElement("input");
  if (calls.length) {
    const label = document.createElement("label");
    find.type = "search";
    label.append("Calls with ", find);
    tools.append(label);
    find.addEventListener("input", () => {
      const asked = find.value.toLowerCase();
      calls.forEach((c) => { c.hidden = !c.textContent.toLowerCase().includes(asked); });
    });
    document.addEventListener("keydown", (e) => {
      if (e.key === "/" && e.target !== find) {
        e.preventDefault();
        find.focus();
      }
    });
  }
  document.querySelector("main").prepend(tools);
  const go = () => {
    const at = location.hash && document.getElementById(location.hash.slice(1));
    if (at && at.tagName === "DETAILS") {
      at.hidden = false;
      at.open = true;
      at.scrollIntoView();
    }
  };
  addEventListener("hashchange", go);
  go();
})();
