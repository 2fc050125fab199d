// The command lines that this page offers for copying into a shell.

import { copyButton, h } from "./dom.js";

// Write a command line, with quotes around words that a shell would read differently.
export function commandLine(words) {
  return words.map((word) => quote(String(word))).join(" ");
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'"'"'`)}'`;
}

// Write a folder so that no command reads it as an option.
export function folderWord(folder) {
  return folder.startsWith("-") ? `./${folder}` : folder;
}

// Return the command that measures one cell of a grid.
export function cellCommand(run, grid, cell, seeds = null) {
  const wanted = seeds ?? (cell.asked_seeds.length ? cell.asked_seeds : grid.seeds);
  const isDefault = wanted.length === 1 && String(wanted[0]) === "42";
  return commandLine([
    ...grid.command,
    ...[grid.row_option, cell.row, grid.column_option, cell.column],
    ...(isDefault ? [] : ["--seeds", wanted.join(",")]),
    ...["--out", folderWord(run.folder)],
  ]);
}

// Return the commands that continue a run. Python makes them from the run's models.
export function commandsAgain(run) {
  const out = commandLine(["--out", folderWord(run.folder)]);
  return run.continue.map((command) => `${command} ${out}`);
}

// Show a command with a button that copies it.
export function commandBox(text, name = "Copy the command") {
  const button = copyButton(() => text);
  button.setAttribute("aria-label", name);
  return h("div", { class: "command" }, commandText(text), button);
}

// Write a command so that lines break between words, not after the hyphens of an option.
export function commandText(text) {
  const words = text.split(" ").map((word) => h("span", { class: "word" }, word));
  return h("code", {}, words.flatMap((word, i) => [i ? " " : "", word]));
}
