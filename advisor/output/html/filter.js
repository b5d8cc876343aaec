"use strict";
(() => {
  const find = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.getElementById("filter");
  const count = document.getElementById("count");
  const traits = ["kind", "strength", "profile", "area"];
  // Everything that can be hidden, with its text in lower case once that has been asked for.
  const items = find("[data-kind]").map((element) => ({ element, text: null }));
  const rows = find("tr[data-for]").map((row) => ({
    row,
    item: document.getElementById(row.dataset.for).closest("[data-kind]"),
  }));

  const wanted = () => Object.fromEntries(new FormData(form));

  const contains = (item, text) => {
    item.text ??= item.element.textContent.toLowerCase();
    return item.text.includes(text);
  };

  // A trait may have several values, parted by blanks.
  const matches = (item, asked, text) =>
    traits.every((name) => {
      const values = (item.element.dataset[name] ?? "").split(" ");
      return !asked[name] || values.includes(asked[name]);
    }) && (!text || contains(item, text));

  const shown = (root) => find("[data-kind]", root).filter((element) => !element.hidden);

  const section = (element, active) => {
    const all = find("[data-kind]", element);
    const left = shown(element).length;
    const listed = find("tr[data-for]", element);
    const empty = !left && listed.every((row) => row.hidden);
    element.hidden = active && empty;
    const heading = element.querySelector("h3");
    delete heading.dataset.shown;
    if (active && all.length && left < all.length) heading.dataset.shown = `${left} shown`;
    // What is folded as a whole would hide what was just asked for.
    if (active && left) for (const list of find("details.list", element)) list.open = true;
  };

  const apply = () => {
    const asked = wanted();
    const text = asked.q.trim().toLowerCase();
    const active = Boolean(text) || traits.some((name) => asked[name]);
    for (const item of items) item.element.hidden = !matches(item, asked, text);
    for (const { row, item } of rows) row.hidden = item.hidden;
    for (const element of find("main section")) section(element, active);
    for (const article of find("main article")) {
      article.querySelector(".none").hidden = !active || shown(article).length > 0;
    }
    const left = items.filter((item) => !item.element.hidden).length;
    count.textContent = `${left} of ${items.length} shown`;
  };

  // The filter stands in the address, as #?strength=must&q=tick, so that it can be passed on.
  const remember = () => {
    const asked = Object.entries(wanted()).filter(([, value]) => value);
    const query = new URLSearchParams(asked).toString();
    try {
      history.replaceState(null, "", query ? `#?${query}` : location.pathname + location.search);
    } catch {
      // A page without an origin of its own keeps its address.
    }
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.startsWith("?")) {
      form.reset();
      for (const [name, value] of new URLSearchParams(hash)) {
        if (form.elements[name]) form.elements[name].value = value;
      }
      apply();
      return;
    }
    const target = hash && document.getElementById(decodeURIComponent(hash));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      apply();
    }
    const fold = target.closest("details");
    if (fold) fold.open = true;
    target.scrollIntoView();
  };

  let waiting;
  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    const pause = event.target.type === "search" ? 150 : 0;
    waiting = setTimeout(() => {
      apply();
      remember();
    }, pause);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  // The fields are empty only after the event.
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));

  const foldAll = (open) => {
    for (const fold of find("main details")) if (!fold.closest("[hidden]")) fold.open = open;
  };
  document.getElementById("unfold").addEventListener("click", () => foldAll(true));
  document.getElementById("fold").addEventListener("click", () => foldAll(false));

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = find("main details:not([open])");
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });

  // What is to be typed, or the lines to be written; a page without rights to the clipboard says so.
  const copied = (way) => {
    const block = way.querySelector("pre");
    if (block) return block.textContent;
    return find("code", way).map((code) => code.textContent).join("\n");
  };
  for (const way of find("main .do")) {
    const content = copied(way);
    if (!content) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(content);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    way.insertBefore(button, way.querySelector("pre"));
  }

  addEventListener("hashchange", follow);
  form.hidden = false;
  apply();
  follow();
})();
