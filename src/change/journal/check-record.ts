/** Checks records that come from storage: a journal may lie in a database that somebody else has made. */
import { FsError } from '../../errors.js'
import { resolve } from '../../fs/path.js'
import { checkPath } from '../../fs/path-rules.js'
import type { ChangeRecord, Image, Step } from './record.js'

/** True for a value that polyfs could have written as a record. What it says about the tree is checked when it is used. */
export function isChangeRecord(value: unknown): value is ChangeRecord {
  if (!isObject(value)) return false
  const { id, label, atMs, steps, undoable, purged, undoes, undoesPartly, gitDirectories, checkpoint, by } = value
  return (
    isText(id) &&
    isText(label) &&
    Number.isFinite(atMs) &&
    Array.isArray(steps) &&
    steps.every(isStep) &&
    typeof undoable === 'boolean' &&
    isAbsentOr(purged, (given) => given === true) &&
    isAbsentOr(undoes, (given) => isText(given) || areTexts(given)) &&
    isAbsentOr(undoesPartly, areTexts) &&
    isAbsentOr(gitDirectories, (given) => Array.isArray(given) && given.every(isPath)) &&
    isAbsentOr(checkpoint, isText) &&
    isAbsentOr(by, (given) => isObject(given) && isText(given.name) && isAbsentOr(given.version, isText))
  )
}

export function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false
  const { path, before, parked } = value
  if (!isPath(path) || !isImage(before) || !isAbsentOr(parked, isPath)) return false
  if (value.do === 'set') return isImage(value.after) && isAbsentOr(value.staged, isPath)
  return value.do === 'rename' && isPath(value.to) && isImage(value.replaces) && isAbsentOr(value.via, isPath)
}

function isImage(value: unknown): value is Image {
  if (!isObject(value)) return false
  const { kind, hash, size, mode, target, verbatim } = value
  if (kind === 'absent') return true
  if (kind === 'symlink') return typeof target === 'string' && isAbsentOr(verbatim, (given) => given === true)
  const isFile = kind === 'file' && isText(hash) && isCount(size)
  return (isFile || kind === 'directory') && isAbsentOr(mode, isCount)
}

/** A path that is exact: absolute, normalised, and one that a file system can store. */
function isPath(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith('/') || resolve('/', value) !== value) return false
  try {
    checkPath(value)
    return true
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    return false
  }
}

function isAbsentOr(value: unknown, isGood: (value: unknown) => boolean): boolean {
  return value === undefined || isGood(value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
