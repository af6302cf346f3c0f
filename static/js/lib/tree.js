// An ARIA tree whose rows the server renders: walking it, opening it, and its keys.
const ITEM = "[role='treeitem']";
const TYPE_AHEAD_TIME = 700;

export const itemOf = (element) => element?.closest?.(`[role='tree'] ${ITEM}`) ?? null;
export const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
export const canOpen = (item) => item.hasAttribute("aria-expanded");
export const linkOf = (item) => item.querySelector(":scope > .tree__row a");
const groupOf = (item) => item.querySelector(":scope > [role='group']");
const labelOf = (item) => linkOf(item).textContent.trim().toLowerCase();

export function parentOf(item) {
  return item.parentElement.closest(ITEM);
}

export function nextOf(item) {
  const child = isOpen(item) ? groupOf(item)?.firstElementChild : null;
  if (child) return child;
  for (let at = item; at; at = parentOf(at)) {
    if (at.nextElementSibling) return at.nextElementSibling;
  }
  return null;
}

function lastWithin(item) {
  const last = isOpen(item) ? groupOf(item)?.lastElementChild : null;
  return last ? lastWithin(last) : item;
}

export function previousOf(item) {
  const before = item.previousElementSibling;
  return before ? lastWithin(before) : parentOf(item);
}

const treeOf = (item) => item.closest("[role='tree']");
const firstOf = (tree) => tree.firstElementChild;
const lastOf = (tree) => lastWithin(tree.lastElementChild);

/** Moves the one tab stop of the tree, and the focus with it. */
export function focusItem(item, options) {
  for (const other of treeOf(item).querySelectorAll(`${ITEM}[tabindex='0']`)) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus(options);
}

export function selectItem(item) {
  for (const other of treeOf(item).querySelectorAll("[aria-selected='true']")) {
    other.setAttribute("aria-selected", "false");
  }
  item.setAttribute("aria-selected", "true");
}

/** Links stay out of the Tab order, which has one stop for the whole tree. */
export function adoptRows(root) {
  for (const link of root.querySelectorAll(`${ITEM} > .tree__row a`)) link.tabIndex = -1;
}

export async function openItem(item, loadRows) {
  if (!canOpen(item) || isOpen(item)) return;
  if (!groupOf(item)) {
    item.setAttribute("aria-busy", "true");
    const rows = await loadRows(item.dataset.id, 0);
    item.removeAttribute("aria-busy");
    if (rows === null || groupOf(item)) return;
    const group = document.createElement("ul");
    group.setAttribute("role", "group");
    group.innerHTML = rows; // rendered and escaped by our server
    adoptRows(group);
    item.append(group);
  }
  item.setAttribute("aria-expanded", "true");
}

export function closeItem(item) {
  if (!isOpen(item)) return;
  item.setAttribute("aria-expanded", "false");
  if (item.contains(document.activeElement)) focusItem(item);
}

/** Puts the next page of rows in the place of a "show more" row. */
export async function showMore(more, loadRows) {
  if (more.hasAttribute("aria-busy")) return;
  more.setAttribute("aria-busy", "true");
  const rows = await loadRows(more.dataset.parent, more.dataset.more);
  more.removeAttribute("aria-busy");
  if (rows === null) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = rows;
  adoptRows(fresh.content);
  keepKnownRows(more, fresh.content);
  const first = fresh.content.firstElementChild;
  const hadFocus = more.contains(document.activeElement);
  more.replaceWith(fresh.content);
  if (hadFocus) focusItem(first);
}

// The row that leads to the selected topic may have been shown ahead of its turn.
function keepKnownRows(more, fresh) {
  for (const row of fresh.querySelectorAll(ITEM)) {
    const known = row.id && document.getElementById(row.id);
    if (known && known.parentElement === more.parentElement) row.replaceWith(known);
  }
}

function withPrefix(item, text) {
  const start = text.length === 1 ? nextOf(item) : item;
  for (let at = start; at; at = nextOf(at)) if (labelOf(at).startsWith(text)) return at;
  for (let at = firstOf(treeOf(item)); at && at !== start; at = nextOf(at)) {
    if (labelOf(at).startsWith(text)) return at;
  }
  return null;
}

/**
 * The keys of the tree pattern. `keys` are the page's own, by KeyboardEvent.key; what answers
 * false had no use for the key. A letter among them gives way while a name is being typed.
 */
export function setUpTreeKeys({ select, open, keys, hasLetters }) {
  let typed = "";
  let typedAt = -Infinity;

  const moves = {
    ArrowDown: (item) => nextOf(item),
    ArrowUp: (item) => previousOf(item),
    Home: (item) => firstOf(treeOf(item)),
    End: (item) => lastOf(treeOf(item)),
  };
  const deeds = {
    Enter: select,
    " ": select,
    ArrowRight: async (item) => {
      if (!canOpen(item)) return;
      if (isOpen(item)) focusItem(nextOf(item));
      else await open(item);
    },
    ArrowLeft: (item) => {
      if (isOpen(item)) open(item, false);
      else if (parentOf(item)) focusItem(parentOf(item));
    },
    "*": (item) => Promise.all([...item.parentElement.children].map((each) => open(each))),
  };

  function typeAhead(item, key) {
    const now = performance.now();
    typed = now - typedAt < TYPE_AHEAD_TIME ? typed + key.toLowerCase() : key.toLowerCase();
    typedAt = now;
    const found = withPrefix(item, typed);
    if (found) focusItem(found);
  }

  function handle(item, event) {
    const { key } = event;
    const isTyping = performance.now() - typedAt < TYPE_AHEAD_TIME;
    const own = key.length > 1 || (hasLetters() && !isTyping) ? keys[key] : null;
    if (key.length > 1) typedAt = -Infinity; // a name is over with any other key
    if (own && own(item) !== false) return true;
    if (moves[key]) {
      const to = moves[key](item);
      if (to) focusItem(to);
      return true;
    }
    if (deeds[key] && !(key === " " && isTyping)) {
      deeds[key](item);
      return true;
    }
    if (key.length !== 1) return false;
    typeAhead(item, key);
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || !event.target.matches?.(`[role='tree'] ${ITEM}`)) return;
    if (handle(event.target, event)) event.preventDefault();
  });
}
