// The command lines this page offers, ready to be pasted into a shell.

import { copyButton, h } from "./dom.js";

// Quote a word for a shell, where that is needed.
export function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'"'"'`)}'`;
}

export function commandLine(words) {
  return words.map((word) => quote(String(word))).join(" ");
}

// Name a folder so that no command takes it for an option.
export function folderWord(folder) {
  return folder.startsWith("-") ? `./${folder}` : folder;
}

// Return the command that measures one cell of a grid.
export function cellCommand(run, grid, cell, seeds = cell.asked_seeds.length ? cell.asked_seeds : grid.seeds) {
  const asUsual = seeds.length === 1 && String(seeds[0]) === "42";
  return commandLine([
    ...grid.command,
    ...[grid.row_option, cell.row, "--ranges", cell.range],
    ...(asUsual ? [] : ["--seeds", seeds.join(",")]),
    ...["--out", folderWord(run.folder)],
  ]);
}

// Return the commands that continue a run; one that trains nothing, from a store of others, is none.
export function commandsAgain(run) {
  return run.continue.map((command) => `${command} --out ${quote(folderWord(run.folder))}`);
}

// Show a command with a button that copies it.
export function commandBox(text, name = "Copy the command") {
  const button = copyButton(() => text);
  button.setAttribute("aria-label", name);
  return h("div", { class: "command" }, commandText(text), button);
}

// Write a command so that no option is broken after its hyphens.
export function commandText(text) {
  const words = text.split(" ").flatMap((word, i) => [i ? " " : "", h("span", { class: "word" }, word)]);
  return h("code", {}, words);
}
