// Native dialogs, opened by [data-open-dialog="name"] and found as #dialog-<name>.
const openers = new WeakMap();

export function openDialog(name, opener = document.activeElement) {
  const dialog = document.getElementById(`dialog-${name}`);
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return false;
  openers.set(dialog, opener);
  dialog.showModal();
  return true;
}

// A press on the backdrop hits the dialog itself, outside its box.
function isBackdrop(event, dialog) {
  if (event.target !== dialog) return false;
  const box = dialog.getBoundingClientRect();
  return (
    event.clientX < box.left ||
    event.clientX > box.right ||
    event.clientY < box.top ||
    event.clientY > box.bottom
  );
}

export function setUpDialogs() {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-dialog]");
    if (opener && openDialog(opener.dataset.openDialog, opener)) {
      event.preventDefault();
      return;
    }
    const dialog = event.target.closest("dialog[open]");
    if (!dialog) return;
    const closer = event.target.closest("[data-close-dialog]");
    if (closer || (dialog.hasAttribute("data-light-dismiss") && isBackdrop(event, dialog))) {
      dialog.close();
    }
  });
  // "close" does not bubble, hence the capture phase.
  document.addEventListener(
    "close",
    (event) => {
      const opener = openers.get(event.target);
      openers.delete(event.target);
      if (opener?.isConnected) opener.focus();
    },
    true,
  );
}
