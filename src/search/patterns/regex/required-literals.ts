import { type Node, some } from './ast.js'
import { type CodePoints, contains, overlaps, rangesOf, sizeOf } from './code-points.js'
import { closeOverCase } from './unicode.js'

/** Every match contains at least one of the needles. */
export interface Literals {
  needles: readonly Needle[]
  /** The pattern is exactly one needle. */
  whole: boolean
}

export interface Needle {
  text: string
  /** The case of ASCII letters is ignored; the text is in lower case. */
  folded: boolean
  /** Characters beyond ASCII that a folded letter stands for too. */
  kin?: string
}

/** The set with all characters that differ from its own only in case. */
export type CloseOver = (set: CodePoints) => CodePoints

/** Undefined if there are no useful needles. An empty list means that nothing can match. */
export function requiredLiterals(root: Node, closeOver: CloseOver = closeOverCase): Literals | undefined {
  const { exact, required } = find(root, closeOver)
  const [only] = exact?.length === 1 ? exact : []
  if (only !== undefined && only.text !== '' && isPlain(root, only.folded)) return { needles: [only], whole: true }
  const needles = exact?.every(worthwhile) ? exact : required
  return needles && { needles, whole: false }
}

/** A plain sequence of characters, with letter case ignored for all of them or for none. */
function isPlain(root: Node, folded: boolean): boolean {
  return !some(root, (part) => {
    if (part.kind !== 'set') return part.kind !== 'sequence' && part.kind !== 'capture'
    return folded && part.set.length === 2 && overlaps(part.set, [0x41, 0x5a, 0x61, 0x7a])
  })
}

interface Found {
  /** All texts that the node can match. */
  exact?: readonly Needle[]
  /** Every match contains one of these. */
  required?: readonly Needle[]
}

const maxNeedles = 16
const maxUnits = 64

function find(node: Node, closeOver: CloseOver): Found {
  switch (node.kind) {
    case 'set':
      return fromSet(node.set, closeOver)
    case 'sequence':
      return fromSequence(node.items, closeOver)
    case 'choice':
      return fromChoice(node.options, closeOver)
    case 'capture':
      return find(node.body, closeOver)
    case 'repeat': {
      if (node.min === 0) {
        const { exact } = node.max === 1 ? find(node.body, closeOver) : {}
        return exact === undefined || exact.length >= maxNeedles ? {} : { exact: [...exact, blank] }
      }
      const found = fromSequence(
        Array.from({ length: Math.min(node.min, 8) }, () => node.body),
        closeOver,
      )
      if (node.min === node.max && node.min <= 8) return found
      const required = found.exact?.every(worthwhile) ? found.exact : found.required
      return required === undefined ? {} : { required }
    }
    case 'back-reference':
      return {}
    default:
      return { exact: [blank] }
  }
}

const blank: Needle = { text: '', folded: false }

function fromSet(set: CodePoints, closeOver: CloseOver): Found {
  const [only] = set
  // Most sets of a pattern are one character.
  if (set.length === 2 && only === set[1] && only !== 0xfffd && only !== 0x0a) {
    return { exact: [{ text: String.fromCodePoint(only!), folded: false }] }
  }
  const size = sizeOf(set)
  // Invalid bytes are decoded as U+FFFD, and a line end may be two bytes: neither can be searched as bytes.
  if (size > 4 || contains(set, 0xfffd) || contains(set, 0x0a)) return {}
  const members = [...rangesOf(set)].flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i))
  const letter = members.find((member) => member >= 0x61 && member <= 0x7a)
  if (letter !== undefined && size > 1 && String(closeOver([letter, letter])) === String(set)) {
    const kin = String.fromCodePoint(...members.filter((member) => member >= 0x80))
    return { exact: [{ text: String.fromCodePoint(letter), folded: true, ...(kin && { kin }) }] }
  }
  return { exact: members.map((member) => ({ text: String.fromCodePoint(member), folded: false })) }
}

function fromSequence(items: readonly Node[], closeOver: CloseOver): Found {
  let run: readonly Needle[] = [blank]
  let whole = true
  let best: readonly Needle[] | undefined
  for (const item of items) {
    const { exact, required } = find(item, closeOver)
    const longer = exact === undefined ? undefined : joined(run, exact)
    if (longer !== undefined) run = longer
    else {
      best = better(better(best, run), required)
      run = exact ?? [blank]
      whole = false
    }
  }
  if (whole) return { exact: run }
  best = better(best, run)
  return best === undefined ? {} : { required: best }
}

function fromChoice(options: readonly Node[], closeOver: CloseOver): Found {
  const parts = options.map((option) => find(option, closeOver))
  const exact = parts.every((part) => part.exact !== undefined) ? parts.flatMap((part) => part.exact!) : undefined
  if (exact !== undefined && exact.length <= maxNeedles) return { exact }
  const required = parts.map((part) => (part.exact?.every(worthwhile) ? part.exact : part.required))
  if (required.some((part) => part === undefined)) return {}
  const all = required.flatMap((part) => part!)
  return all.length > maxNeedles ? {} : { required: all }
}

function joined(left: readonly Needle[], right: readonly Needle[]): readonly Needle[] | undefined {
  if (left.length === 1 && right.length === 1) {
    const needle = join(left[0]!, right[0]!)
    return needle.text.length > maxUnits ? undefined : [needle]
  }
  if (left.length * right.length > maxNeedles) return undefined
  const result = left.flatMap((a) => right.map((b) => join(a, b)))
  return result.some((needle) => needle.text.length > maxUnits) ? undefined : result
}

/** If the case of one letter is ignored, that of the whole needle is: that finds more candidates, never fewer. */
function join(a: Needle, b: Needle): Needle {
  const folded = a.folded || b.folded
  const text = a.text + b.text
  const kin = (a.kin ?? '') + (b.kin ?? '')
  return { text: folded ? lowerAscii(text) : text, folded, ...(kin && { kin }) }
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function better(a: readonly Needle[] | undefined, b: readonly Needle[] | undefined): readonly Needle[] | undefined {
  if (b === undefined || !b.every(worthwhile)) return a
  if (a === undefined) return b
  return value(b) > value(a) ? b : a
}

/** Long needles are better, many are worse. */
function value(needles: readonly Needle[]): number {
  const shortest = Math.min(...needles.map(({ text, folded }) => Math.min(text.length, 8) - (folded ? 0.5 : 0)))
  return shortest - Math.log2(needles.length + 1)
}

/** A single common character occurs in every line: searching for it first saves nothing. */
function worthwhile({ text }: Needle): boolean {
  return text.length > 1 || (text.length === 1 && !/[\w\s.,;:(){}[\]=/'"-]/.test(text))
}
