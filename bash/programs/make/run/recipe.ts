/** Runs the recipe of a target, line by line. */
import { isFsError } from '../../../../src/errors.js'
import { isBlank, isSpace } from '../characters.js'
import { expandFor } from '../expand/expand.js'
import { type MakeFile, type Recipe, recipeFlags, statuses } from '../files.js'
import { MakeEnded, placeText } from '../make-error.js'
import type { MakeState } from '../state.js'
import { tellOfMakefile } from '../update/complaints.js'
import { finishFile } from '../update/finish.js'
import { scopeOf } from '../update/target-scope.js'
import { timeOnDisk } from '../update/times.js'
import { setAutomatic } from './automatic.js'
import { commandOf, isBourne } from './command-line.js'
import { environmentOf } from './environment.js'
import { signalText } from './signals.js'
import { start } from './start.js'

const failure = 2
const trouble = 1

/** Cuts a recipe into its lines, and reads the marks before each. */
export function cutRecipe(make: MakeState, recipe: Recipe): string[] {
  if (recipe.lines !== undefined) return recipe.lines
  const text = recipe.text.endsWith('\n') ? recipe.text.slice(0, -1) : recipe.text
  const lines = make.isOneShell ? [text] : linesOf(text)
  recipe.lines = lines
  recipe.flags = lines.map(flagsOf)
  recipe.hasRecursive = recipe.flags.some((flags) => (flags & recipeFlags.recursive) !== 0)
  return lines
}

function linesOf(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '\n') {
      lines.push(text.slice(start, at))
      start = at + 1
    }
  }
  lines.push(text.slice(start))
  return lines
}

function flagsOf(line: string): number {
  const marks = /^[ \t@+-]*/.exec(line)?.[0] ?? ''
  let flags = 0
  if (marks.includes('+')) flags |= recipeFlags.recursive
  if (marks.includes('@')) flags |= recipeFlags.silent
  if (marks.includes('-')) flags |= recipeFlags.ignores
  const rest = line.slice(marks.length)
  if (/\$(\(MAKE\)|\{MAKE\})/.test(rest)) flags |= recipeFlags.recursive
  return flags
}

export async function runRecipe(make: MakeState, file: MakeFile, recipe: Recipe): Promise<void> {
  file.state = 'running'
  if (/^[\s@+-]*$/.test(recipe.text)) {
    file.status = statuses.success
    await finishFile(make, file)
    return
  }
  await scopeOf(make, file, false)
  setAutomatic(make, file)
  const lines = cutRecipe(make, recipe)
  const expanded: string[] = []
  for (const [index, line] of lines.entries()) {
    recipe.place.offset = index
    expanded.push(await expandFor(make, withoutBreaksInReferences(line), file))
  }
  recipe.place.offset = 0
  await traceTarget(make, file, recipe)
  const job: Job = { make, file, recipe, environment: undefined }
  for (const [index, text] of expanded.entries()) {
    recipe.place.offset = index
    const isDone = await runLines(job, index, text)
    if (!isDone) {
      recipe.place.offset = 0
      return
    }
  }
  recipe.place.offset = 0
  file.status = statuses.success
  file.state = 'running'
  await finishFile(make, file)
}

async function traceTarget(make: MakeState, file: MakeFile, recipe: Recipe): Promise<void> {
  if (!make.options.traces) return
  const newer = await expandFor(make, '$?', file)
  const place = placeText(recipe.place) ?? '<builtin>'
  await make.say(
    newer === ''
      ? `${place}: target '${file.name}' does not exist\n`
      : `${place}: update target '${file.name}' due to: ${newer}\n`,
  )
}

/** Functions do not see the line ends in their arguments. */
function withoutBreaksInReferences(line: string): string {
  if (!line.includes('\n')) return line
  let out = ''
  let at = 0
  while (at < line.length) {
    const dollar = line.indexOf('$', at)
    if (dollar < 0) break
    out += line.slice(at, dollar + 1)
    at = dollar + 1
    const open = line[at]
    if (open !== '(' && open !== '{') continue
    const close = open === '(' ? ')' : '}'
    out += open
    at += 1
    const least = out.length
    let depth = 0
    while (at < line.length) {
      const character = line[at] as string
      if (character === close && --depth < 0) break
      if (character === '\\' && line[at + 1] === '\n') {
        at += 2
        while (isSpace(line[at])) at += 1
        while (out.length > least && isBlank(out.at(-1))) out = out.slice(0, -1)
        out += ' '
        continue
      }
      if (character === open) depth += 1
      out += character
      at += 1
    }
  }
  return out + line.slice(at)
}

interface Job {
  make: MakeState
  file: MakeFile
  recipe: Recipe
  environment: ReadonlyMap<string, string> | undefined
}

/** A line may have become several. False when the target is done with: it failed, or `-q` knows enough. */
async function runLines(job: Job, index: number, text: string): Promise<boolean> {
  let rest: string | undefined = text
  while (rest !== undefined && rest !== '') {
    const next = await runLine(job, index, rest)
    if (next.isOver) return false
    rest = next.rest
  }
  return true
}

async function runLine(job: Job, index: number, given: string): Promise<{ isOver: boolean; rest: string | undefined }> {
  const { make, file, recipe } = job
  const { options } = make
  let flags = file.flags | (recipe.flags[index] ?? 0)
  const marks = /^[ \t@+-]*/.exec(given)?.[0] ?? ''
  if (marks.includes('@')) flags |= recipeFlags.silent
  if (marks.includes('+')) flags |= recipeFlags.recursive
  if (marks.includes('-')) flags |= recipeFlags.ignores
  const isRecursive = (flags & recipeFlags.recursive) !== 0
  if (isRecursive) recipe.flags[index] = (recipe.flags[index] ?? 0) | recipeFlags.recursive
  const line = given.slice(marks.length).replaceAll(`\n${recipe.prefix}`, '\n')
  const { argv, rest } = await commandOf(make, line, file)
  const next = { isOver: false, rest }
  if (argv !== undefined && options.asks && !isRecursive) {
    file.status = statuses.question
    await finishFile(make, file)
    return { isOver: true, rest: undefined }
  }
  if (argv === undefined || (options.touches && !isRecursive)) return next
  if (options.dryRuns || options.traces || ((flags & recipeFlags.silent) === 0 && !options.isSilent)) {
    const isScript = make.isOneShell && isBourne(argv[0] ?? '')
    const shown = rest === undefined ? line : line.slice(0, line.length - rest.length - 1)
    await make.say(`${isScript ? argv.at(-1) : shown}\n`)
  }
  make.commandsStarted += 1
  const [shell = '', flag, command] = argv
  if (isBourne(shell) && /^-e?c$/.test(flag ?? '') && command === ':' && argv.length === 3) return next
  if (options.dryRuns && !isRecursive) return next
  job.environment ??= await environmentOf(make, file)
  file.state = 'running'
  const status = await start(make, argv, { env: job.environment })
  if (status === 0) return next
  if ((flags & recipeFlags.ignores) !== 0 || options.ignoresErrors) {
    await tellOfFailure(job, status, true)
    return next
  }
  await fail(job, status, isRecursive)
  return { isOver: true, rest: undefined }
}

async function fail(job: Job, status: number, isRecursive: boolean): Promise<void> {
  const { make, file } = job
  const isQuestion = make.options.asks && isRecursive && status === trouble
  if (!file.isOptional && !isQuestion) await tellOfFailure(job, status, false)
  file.status = isQuestion ? statuses.question : statuses.failed
  const deletes = make.files.find('.DELETE_ON_ERROR')?.isTarget === true
  if (deletes || signalText(status) !== undefined) await deleteTargets(make, file)
  const isOptional = file.isOptional
  await finishFile(make, file)
  if (!isOptional && !make.options.keepsGoing) throw new MakeEnded(isQuestion ? trouble : failure)
}

async function tellOfFailure({ make, file, recipe }: Job, status: number, isIgnored: boolean): Promise<void> {
  if (isIgnored && make.options.isSilent) return
  await tellOfMakefile(make)
  const place = placeText(recipe.place) ?? '<builtin>'
  const what = signalText(status) ?? `Error ${status}`
  await make.complain(`${isIgnored ? '' : '*** '}[${place}: ${file.name}] ${what}${isIgnored ? ' (ignored)' : ''}`)
}

async function deleteTargets(make: MakeState, file: MakeFile): Promise<void> {
  await deleteTarget(make, file, undefined)
  for (const other of file.alsoMake) await deleteTarget(make, other, file.name)
}

async function deleteTarget(make: MakeState, file: MakeFile, owner: string | undefined): Promise<void> {
  if (file.isPrecious || file.isPhony) return
  const time = await timeOnDisk(make, file.name)
  try {
    if ((await make.io.fs.lstat(file.name)).kind !== 'file' || time === file.time) return
    await make.complain(`*** ${owner === undefined ? '' : `[${owner}] `}Deleting file '${file.name}'`)
    await make.io.fs.remove(file.name)
  } catch (error) {
    if (!isFsError(error)) throw error
  }
}
