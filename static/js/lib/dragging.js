// Dragging a row of the tree onto another; the button twin is "Move to …".
import { canOpen, isOpen, itemOf, parentOf } from "./tree.js";

const OPEN_AFTER = 700;

const rootOf = (element) => element.closest?.("[data-root]");

/** The element to mark and the path that a drop there means, or nothing. */
function targetOf(element, dragged) {
  const item = itemOf(element);
  if (item) {
    const isPossible = !item.dataset.more && !dragged.contains(item) && parentOf(dragged) !== item;
    return isPossible ? { mark: item, path: item.dataset.path } : null;
  }
  const root = rootOf(element);
  return root && parentOf(dragged) ? { mark: root, path: "" } : null;
}

export function setUpDragging({ isAllowed, open, drop }) {
  let dragged = null;
  let over = null;
  let timer = 0;

  function leave() {
    clearTimeout(timer);
    over?.classList.remove("is-drag-over");
    over = null;
  }

  function enter(mark) {
    if (mark === over) return;
    leave();
    over = mark;
    over.classList.add("is-drag-over");
    if (canOpen(mark) && !isOpen(mark)) timer = setTimeout(() => open(mark), OPEN_AFTER);
  }

  document.addEventListener("dragstart", (event) => {
    const item = itemOf(event.target);
    if (!item || !isAllowed() || item.dataset.more) return;
    dragged = item;
    dragged.classList.add("is-dragging");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", item.dataset.path);
  });
  document.addEventListener("dragover", (event) => {
    const target = dragged && targetOf(event.target, dragged);
    if (!target) return leave();
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    enter(target.mark);
  });
  document.addEventListener("drop", (event) => {
    const target = dragged && targetOf(event.target, dragged);
    if (!target) return;
    event.preventDefault();
    drop(dragged, target.path);
  });
  document.addEventListener("dragend", () => {
    leave();
    dragged?.classList.remove("is-dragging");
    dragged = null;
  });
}
