// What a person does in a window of VS Code, and what they see there.

import { readFileSync } from "node:fs";
import path from "node:path";

/** VS Code shows spaces as no-break spaces. */
const plain = (text) => text.replaceAll("\u00a0", " ");

export class Window {
  constructor(page, workspace) {
    this.page = page;
    this.workspace = workspace;
  }

  /** Waits until `look` gives something true, and gives that. */
  async until(what, look, timeout = 30_000) {
    let last;
    for (const end = Date.now() + timeout; Date.now() < end; ) {
      last = await look();
      if (last) return last;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`Waited in vain for ${what}.`);
  }

  /** The text of all elements with `selector`. */
  async texts(selector) {
    return (await this.page.locator(selector).allInnerTexts()).map(plain);
  }

  /** Waits for an element with `selector` that says `text`. */
  sees(selector, text) {
    return this.until(`"${text}" in ${selector}`, async () =>
      (await this.texts(selector)).find((shown) => shown.includes(text)),
    );
  }

  /**
   * Opens a file of the workspace in the editor, and waits for its text. A key that closed something
   * just before may close the list of files too, when the machine is slow: then it is asked again.
   */
  async openFile(name) {
    await this.until(`${name} in the editor`, async () => {
      await this.page.keyboard.press("Control+p");
      const input = this.page.locator(".quick-input-widget input").first();
      await input.waitFor({ timeout: 5_000 }).catch(() => undefined);
      await input.fill(name).catch(() => undefined);
      const row = this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name });
      const found = await row.waitFor({ timeout: 5_000 }).then(() => true, () => false);
      await this.page.keyboard.press(found ? "Enter" : "Escape");
      const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
      return found && tab.waitFor({ timeout: 5_000 }).then(() => true, () => false);
    }, 60_000);
    await this.page.waitForSelector(".monaco-editor .view-line");
  }

  /** Runs a command of the palette. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.waitForSelector(".quick-input-widget input");
    await this.page.keyboard.type(title);
    await this.sees(".quick-input-list .monaco-list-row.focused", title);
    await this.page.keyboard.press("Enter");
  }

  /** The middle of the first `word` in the line that contains `line`. */
  async place(line, word) {
    const at = await this.until(`"${word}" in "${line}"`, () =>
      this.page.evaluate(
        ([line, word]) => {
          const plain = (text) => text.replaceAll("\u00a0", " ");
          for (const element of document.querySelectorAll(".editor-instance .view-line")) {
            const from = plain(element.textContent).indexOf(line);
            if (from < 0) continue;
            let offset = plain(element.textContent).indexOf(word, from);
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
              if (offset < node.length) {
                const range = document.createRange();
                range.setStart(node, offset);
                range.setEnd(node, Math.min(node.length, offset + word.length));
                const box = range.getBoundingClientRect();
                return { x: box.x + Math.min(box.width / 2, 6), y: box.y + box.height / 2 };
              }
              offset -= node.length;
            }
          }
          return undefined;
        },
        [line, word],
      ),
    );
    return at;
  }

  /** Puts the cursor into `word`. */
  async click(line, word) {
    const { x, y } = await this.place(line, word);
    await this.page.mouse.click(x, y);
  }

  /** What the editor says about `word`. */
  async hover(line, word, text) {
    const { x, y } = await this.place(line, word);
    await this.page.mouse.move(x, y + 200);
    await this.page.mouse.move(x, y, { steps: 3 });
    return this.sees(".monaco-hover:not(.hidden) .monaco-hover-content", text);
  }

  /** Saves the file of the editor until what is on the disk is as it should be: edits take their time. */
  saved(name, holds) {
    const file = path.join(this.workspace, name);
    return this.until(`${name} to hold what is expected`, async () => {
      await this.page.keyboard.press("Control+s");
      const text = readFileSync(file, "utf8");
      return holds(text) ? text : undefined;
    });
  }
}
