/** Steps that the scripts of several tasks share. */
import { pathsWhere, textOf } from './repository/index.mjs'

/** Edits of the official server, line by line: it replaces the first place only, so each place is an edit. */
export function lineEdits(before, after) {
  const old = before.split('\n')
  const now = after.split('\n')
  return old.flatMap((line, i) => (line === now[i] ? [] : [{ oldText: line.trim(), newText: now[i].trim() }]))
}

/** One call of the official server for each file that changes. */
export function officialEdits(why, changed) {
  return Object.entries(changed).map(([path, after]) => ({
    why: `${why}: one call for each file`,
    call: ['edit_file', { path, edits: lineEdits(textOf(path), after) }],
  }))
}

/**
 * The official server searches names, not contents: an agent lists the files of a folder and reads them all. Trying an edit on each instead
 * (`dryRun`) would take a failing call for every file without the text.
 */
export function readFolder(folder, extension) {
  const paths = pathsWhere((name) => name.startsWith(`${folder}/`) && name.endsWith(extension))
  return [
    { why: `Which files are in ${folder}?`, call: ['search_files', { path: folder, pattern: `**/*${extension}` }] },
    { why: `Read all of ${folder}, as contents can't be searched`, call: ['read_multiple_files', { paths }] },
  ]
}
