// What a person does in a window of VS Code, and what they see there.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  sees(selector, text, timeout) {
    const look = async () => (await this.texts(selector)).find((shown) => shown.includes(text));
    return this.until(`"${text}" in ${selector}`, look, timeout);
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

  /** The editor that shows a file, as a selector. */
  editor(name) {
    return `.editor-group-container:has(.tab.active[data-resource-name="${name}"]) .editor-instance`;
  }

  /** The first `word` in the line that contains `line`: its middle, or near its beginning if it is long. */
  async place(line, word, editor = ".editor-instance") {
    const at = await this.until(`"${word}" in "${line}"`, () =>
      this.page.evaluate(
        ([line, word, editor]) => {
          const plain = (text) => text.replaceAll("\u00a0", " ");
          for (const element of document.querySelectorAll(`${editor} .view-line`)) {
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
                const { color } = getComputedStyle(node.parentElement);
                return { x: box.x + Math.min(box.width / 2, 6), y: box.y + box.height / 2, color };
              }
              offset -= node.length;
            }
          }
          return undefined;
        },
        [line, word, editor],
      ),
    );
    return at;
  }

  /** Puts the cursor into `word`. A hint or a lens that comes in between moves the text: then it is done again. */
  click(line, word, editor) {
    return this.until(`the cursor in "${word}"`, async () => {
      const { x, y } = await this.place(line, word, editor);
      // What was said about another word may hide this one.
      const hover = this.page.locator(".monaco-editor .monaco-hover:not(.hidden)");
      if (await hover.first().isVisible()) await this.page.keyboard.press("Escape");
      await this.page.mouse.click(x, y);
      const now = await this.place(line, word, editor);
      return now.x === x && now.y === y;
    });
  }

  /** Clicks on the first lens with this title. */
  lens(title) {
    const lens = this.page.locator(".codelens-decoration a").getByText(title, { exact: true });
    return lens.filter({ visible: true }).first().click();
  }

  /** Chooses from the list that is asked about. */
  pick(label) {
    const name = this.page.locator(".quick-input-list .label-name").getByText(label, { exact: true });
    return name.first().click();
  }

  /** The colour of `word`. */
  async colour(line, word, editor) {
    return (await this.place(line, word, editor)).color;
  }

  /** The texts that the extension has marked in an editor, a line each. */
  marked(editor) {
    return this.page.evaluate((editor) => {
      const covered = (mark, line) => {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        let text = "";
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          for (let at = 0; at < node.length; at++) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const box = range.getBoundingClientRect();
            const middle = box.x + box.width / 2;
            if (mark.left <= middle && middle <= mark.right) text += node.data[at];
          }
        }
        return text.replaceAll("\u00a0", " ").trim();
      };
      const marks = [...document.querySelectorAll(`${editor} .view-overlays .cdr[class*="ced-"]`)];
      const lines = [...document.querySelectorAll(`${editor} .view-line`)];
      return marks.flatMap((element) => {
        const mark = element.getBoundingClientRect();
        const line = lines.find((line) => {
          const box = line.getBoundingClientRect();
          return box.top <= mark.top + mark.height / 2 && mark.top + mark.height / 2 <= box.bottom;
        });
        return line === undefined ? [] : [covered(mark, line)];
      });
    }, editor);
  }

  /** Waits for a result above a definition, which is shown as a whole. */
  result(editor, wanted) {
    return this.until(`${wanted} above the definition`, () =>
      this.page.evaluate(
        ([editor, source]) => {
          const shown = document.querySelector(editor)?.getBoundingClientRect();
          const lenses = [...document.querySelectorAll(`${editor} .codelens-decoration a`)];
          const found = lenses.find((lens) => new RegExp(source, "u").test(lens.textContent.replaceAll("\u00a0", " ")));
          if (found === undefined || shown === undefined) return undefined;
          const { left, right, top, bottom } = found.getBoundingClientRect();
          const whole = shown.left <= left && right <= shown.right && shown.top <= top && bottom <= shown.bottom;
          return whole ? found.textContent : undefined;
        },
        [editor, wanted.source],
      ),
    );
  }

  /** Changes settings of the workspace, as another program would. */
  configure(settings) {
    const folder = path.join(this.workspace, ".vscode");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "settings.json"), JSON.stringify(settings));
  }

  /** What the editor says about `word`; asked again if the text moves. */
  hover(line, word, text, editor) {
    return this.until(`"${text}" about "${word}"`, async () => {
      // What is still said about another word would keep the mouse.
      await this.page.mouse.move(0, 0);
      const before = this.page.locator(".monaco-hover:not(.hidden)").first();
      await before.waitFor({ state: "hidden", timeout: 5_000 }).catch(() => undefined);
      const { x, y } = await this.place(line, word, editor);
      await this.page.mouse.move(x, y, { steps: 3 });
      const shown = this.sees(".monaco-hover:not(.hidden) .monaco-hover-content", text, 5_000);
      return shown.catch(() => undefined);
    });
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
