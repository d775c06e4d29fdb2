/** A conversation as a file: JSON Lines for programs, Markdown for people. */

import type { Message } from '../models/model.js'
import type { Call, Conversation, Turn } from './conversation.js'

export interface TranscriptOptions {
  /** The name of the model. */
  model?: string
  title?: string
}

/** One line for each thing that happened. The first says what the file is. */
export function toJsonl(conversation: Conversation, { model, title }: TranscriptOptions = {}): string {
  const header = {
    type: 'header',
    format: 'polyfs-agent',
    version: 1,
    ...(model && { model }),
    ...(title && { title }),
  }
  const lines = [header, ...conversation.turns.flatMap(linesOf)]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function linesOf(turn: Turn): object[] {
  const { id, prompt, point, startedMs, messages, calls, usage, end } = turn
  const [, ...rest] = messages
  return [
    { type: 'prompt', turn: id, text: prompt, atMs: startedMs, ...(point !== undefined && { point }) },
    ...rest.flatMap((message) => messageLines(message, calls)),
    ...(end ? [{ type: 'end', turn: id, ...end, ...(usage && { usage }) }] : []),
  ]
}

function messageLines(message: Message, calls: readonly Call[]): object[] {
  if (message.role === 'user') return [{ type: 'steering', text: message.text }]
  if (message.role === 'tools') return []
  return message.parts.map((part) => {
    if (part.type !== 'call') return { type: part.type, text: part.text }
    const { kind, state, output, args, changes = [], startedMs, endedMs } = calls.find(({ id }) => id === part.id) ?? {}
    const given = args === undefined ? { argsText: part.args } : { args }
    return { type: 'call', id: part.id, tool: part.tool, kind, ...given, state, output, changes, startedMs, endedMs }
  })
}

export function toMarkdown({ turns }: Conversation, { model, title = 'Conversation' }: TranscriptOptions = {}): string {
  const lines = [`# ${title}`, ...(model === undefined ? [] : [`Model: ${model}`]), ...turns.flatMap(turnLines)]
  return `${lines.join('\n\n')}\n`
}

function turnLines({ prompt, messages, calls, usage, end }: Turn): string[] {
  const [, ...rest] = messages
  return [
    '## You',
    quoted(prompt),
    ...rest.flatMap((message) => {
      if (message.role === 'user') return ['## You, in the middle', quoted(message.text)]
      if (message.role === 'tools') return []
      return message.parts.flatMap((part) => {
        if (part.type === 'text') return [part.text.trim()]
        return part.type === 'call'
          ? callLines(
              calls.find(({ id }) => id === part.id),
              part,
            )
          : []
      })
    }),
    ...(end === undefined || end.reason === 'done'
      ? []
      : [`*${'message' in end ? `Failed: ${end.message}` : endings[end.reason]}*`]),
    ...(usage ? [`*${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${calls.length} calls*`] : []),
  ]
}

const endings = {
  length: 'The answer reached its limit of length.',
  refused: 'The model’s host refused to go on.',
  steps: 'The limit of steps was reached.',
  stopped: 'Stopped by the user.',
  interrupted: 'Interrupted: the program ended.',
} as const

function callLines(call: Call | undefined, { tool, args }: { tool: string; args: string }): string[] {
  const state = call === undefined || call.state === 'done' ? '' : ` (${call.state})`
  const given = call?.args === undefined ? args : JSON.stringify(call.args, null, 2)
  return [`### ${tool}${state}`, fenced(given, 'json'), ...(call?.output === undefined ? [] : [fenced(call.output)])]
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ')
}

/** A fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}
