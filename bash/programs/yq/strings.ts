/** Functions of yq on text. */
import { compileRegex, RegexError, type RegexMatch, type ShellRegex } from '../../regex/index.js'
import type { Call, Context, Tools } from './context.js'
import { bool, integer, isNull, map, nothing, resolved, seq, text, type YamlNode, YqError } from './nodes.js'
import type { Expression } from './syntax.js'
import { asText } from './write-yaml.js'

const each =
  (run: (node: YamlNode, tools: Tools) => YamlNode): Call =>
  (context, _args, tools) => ({ ...context, nodes: context.nodes.map((one) => run(resolved(one), tools)) })

const changed = (run: (value: string) => string): Call =>
  each((one) => {
    if (one.kind !== 'scalar') throw new YqError(`cannot change case with ${one.tag}, can only operate on strings`)
    return isNull(one) ? one : { ...text(run(one.value)), style: one.style }
  })

/** Arguments are separated by commas or semicolons. */
function separate(args: readonly Expression[]): Expression[] {
  return args.flatMap((each) =>
    each.do === 'binary' && each.operator === ',' ? separate([each.left, each.right]) : [each],
  )
}

function argumentText(context: Context, one: YamlNode, argument: Expression | undefined, tools: Tools): string {
  return argument === undefined ? '' : (tools.on(context, one, argument)[0]?.value ?? '')
}

function regex(source: string, flags = ''): { regex: ShellRegex; isGlobal: boolean } {
  const ignoreCase = /^\(\?i\)/.test(source) || flags.includes('i')
  try {
    return {
      regex: compileRegex(source.replace(/^\(\?i\)/, ''), { syntax: 'perl', ignoreCase }),
      isGlobal: flags.includes('g'),
    }
  } catch (error) {
    if (error instanceof RegexError) throw new YqError(`error parsing regexp: ${error.message}`)
    throw error
  }
}

function matchesOf(value: string, expression: ShellRegex, isGlobal: boolean): RegexMatch[] {
  const found: RegexMatch[] = []
  for (let from = 0; from <= value.length; ) {
    const match = expression.exec(value, from)
    if (match === undefined) break
    found.push(match)
    if (!isGlobal) break
    from = match.end > match.start ? match.end : match.end + 1
  }
  return found
}

const regexCall =
  (run: (value: string, match: { regex: ShellRegex; isGlobal: boolean; source: string }) => YamlNode[]): Call =>
  (context, given, tools) => ({
    ...context,
    nodes: context.nodes.flatMap((one) => {
      const args = separate(given)
      const whole = resolved(one)
      if (isNull(whole)) return []
      if (whole.kind !== 'scalar') throw new YqError(`cannot match with ${whole.tag}, can only match strings`)
      const source = argumentText(context, one, args[0], tools)
      return run(whole.value, { ...regex(source, argumentText(context, one, args[1], tools)), source })
    }),
  })

const namesIn = (source: string) => [...source.matchAll(/\((?!\?)|\(\?P?<([A-Za-z_]\w*)>/g)].map(([, name]) => name)

function shown(value: string, match: RegexMatch, source: string): YamlNode {
  const names = namesIn(source)
  const captures = match.groups.map((group, at) => {
    const name = names[at]
    const entries: Array<[YamlNode, YamlNode]> = [
      [text('string'), group === undefined ? nothing() : text(value.slice(...group))],
      [text('offset'), integer(group === undefined ? -1 : group[0])],
      [text('length'), integer(group === undefined ? 0 : group[1] - group[0])],
    ]
    return map(name === undefined ? entries : [...entries, [text('name'), text(name)]])
  })
  return map([
    [text('string'), text(value.slice(match.start, match.end))],
    [text('offset'), integer(match.start)],
    [text('length'), integer(match.end - match.start)],
    [text('captures'), seq(captures)],
  ])
}

function substituted(
  value: string,
  expression: ShellRegex,
  by: string,
  names: ReadonlyArray<string | undefined>,
): string {
  let made = ''
  let at = 0
  for (const match of matchesOf(value, expression, true)) {
    const group = (number: number) => {
      const range = number === 0 ? ([match.start, match.end] as [number, number]) : match.groups[number - 1]
      return range === undefined ? '' : value.slice(...range)
    }
    const put = by.replaceAll(/\$(?:\{(\w+)\}|(\w+)|\$)/g, (all, braced?: string, bare?: string) => {
      const name = braced ?? bare
      if (name === undefined) return all === '$$' ? '$' : all
      return /^\d+$/.test(name) ? group(Number(name)) : group(names.indexOf(name) + 1 || -1)
    })
    made += value.slice(at, match.start) + put
    at = match.end
  }
  return made + value.slice(at)
}

function envsubst(value: string, env: ReadonlyMap<string, string>, flags: readonly string[]): string {
  const faults: string[] = []
  const made = value.replaceAll(
    /\$(?:\{(\w+)(?:(:?[-=+])([^}]*))?\}|(\w+))/g,
    (_, braced: string | undefined, operator: string | undefined, other = '', bare?: string) => {
      const name = (braced ?? bare) as string
      const found = env.get(name)
      const isEmpty = found === undefined || (found === '' && operator?.startsWith(':'))
      if (flags.includes('ne') && found === '') faults.push(`variable \${${name}} set but empty`)
      if (operator?.endsWith('+')) return isEmpty ? '' : other
      if (operator !== undefined && isEmpty) return other
      if (found === undefined && flags.includes('nu')) faults.push(`variable \${${name}} not set`)
      return found ?? ''
    },
  )
  if (faults.length > 0) throw new YqError((flags.includes('ff') ? faults.slice(0, 1) : faults).join('\n'))
  return made
}

export const stringCalls: ReadonlyArray<readonly [string, Call]> = [
  ['upcase', changed((value) => value.toUpperCase())],
  ['ascii_upcase', changed((value) => value.toUpperCase())],
  ['downcase', changed((value) => value.toLowerCase())],
  ['ascii_downcase', changed((value) => value.toLowerCase())],
  ['trim', changed((value) => value.trim())],
  ['to_string', each((one) => ({ ...text(asText(one)), style: one.kind === 'scalar' ? one.style : 'double' }))],
  [
    'join',
    (context, args, tools) => ({
      ...context,
      nodes: context.nodes.map((one) => {
        const whole = resolved(one)
        if (whole.kind !== 'seq') throw new YqError(`cannot join with ${whole.tag}, can only join arrays of scalars`)
        const by = argumentText(context, one, args[0], tools)
        return text(whole.content.map((item) => (isNull(item) ? '' : resolved(item).value)).join(by))
      }),
    }),
  ],
  [
    'split',
    (context, args, tools) => ({
      ...context,
      nodes: context.nodes.flatMap((one) => {
        const whole = resolved(one)
        if (isNull(whole)) return []
        if (whole.kind !== 'scalar') throw new YqError(`cannot split ${whole.tag}, can only split strings`)
        return seq(whole.value === '' ? [] : whole.value.split(argumentText(context, one, args[0], tools)).map(text))
      }),
    }),
  ],
  [
    'sub',
    (context, given, tools) => ({
      ...context,
      nodes: context.nodes.map((one) => {
        const args = separate(given)
        const whole = resolved(one)
        if (whole.kind !== 'scalar')
          throw new YqError(`cannot substitute with ${whole.tag}, can only substitute strings`)
        const source = argumentText(context, one, args[0], tools)
        const by = argumentText(context, one, args[1], tools)
        return {
          ...text(substituted(whole.value, regex(source).regex, by, namesIn(source))),
          tag: whole.tag,
          style: whole.style,
        }
      }),
    }),
  ],
  ['test', regexCall((value, { regex }) => [bool(regex.test(value))])],
  [
    'match',
    regexCall((value, { regex, isGlobal, source }) =>
      matchesOf(value, regex, isGlobal).map((match) => shown(value, match, source)),
    ),
  ],
  [
    'capture',
    regexCall((value, { regex, source }) =>
      matchesOf(value, regex, false).map((match) =>
        map(
          namesIn(source).flatMap((name, at) => {
            const group = match.groups[at]
            const inside = group === undefined ? nothing() : text(value.slice(...group))
            return name === undefined ? [] : [[text(name), inside] as [YamlNode, YamlNode]]
          }),
        ),
      ),
    ),
  ],
  [
    'envsubst',
    (context, args, { outside }) => {
      const { env } = outside
      if (env === undefined) throw new YqError('env operations have been disabled')
      const flags = separate(args).map((argument) => (argument.do === 'call' ? argument.name : ''))
      return {
        ...context,
        nodes: context.nodes.map((one) => ({ ...text(envsubst(resolved(one).value, env, flags)), style: one.style })),
      }
    },
  ],
]
