// Reads the page in front of the person (activeTab: only after the press that opened this), shows
// what would be sent, and hands it over behind the "#" of FocusAdmin's own page.
const LONGEST = 100_000;
const part = (id) => document.getElementById(id);

function visibleText() {
  return document.body?.innerText ?? ""; // runs in the page
}

async function show() {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const { server } = await chrome.storage.local.get("server");
  if (server) part("server").value = server;
  part("title").textContent = tab.title ?? "";
  part("url").textContent = tab.url ?? "";
  try {
    const [{ result }] = await chrome.scripting.executeScript({
      target: { tabId: tab.id },
      func: visibleText,
    });
    part("text").value = result.slice(0, LONGEST);
  } catch {
    part("problem").textContent = "The browser lets no extension read this page.";
  }
  part("size").textContent = part("text").value.length;
}

async function send() {
  let address;
  try {
    address = new URL("/classify/", part("server").value);
  } catch {
    part("problem").textContent = "Give the address of your FocusAdmin, such as http://127.0.0.1:8000.";
    return;
  }
  const [url, title] = [part("url").textContent, part("title").textContent];
  address.hash = new URLSearchParams({ url, title, text: part("text").value }).toString();
  await chrome.storage.local.set({ server: part("server").value });
  await chrome.tabs.create({ url: address.href });
  window.close();
}

part("text").addEventListener("input", () => {
  part("size").textContent = part("text").value.length;
});
part("send").addEventListener("click", send);
show();
