/** The few things of Markdown that models write, as elements. Text is never parsed as markup. */
import { type Child, h } from '../page/dom.js'

export function prose(text: string): HTMLElement[] {
  const blocks: HTMLElement[] = []
  const lines = text.split('\n')
  while (lines.length > 0) blocks.push(...takeBlock(lines))
  return blocks
}

/** Takes the lines of the next block. */
function takeBlock(lines: string[]): HTMLElement[] {
  const first = lines[0] ?? ''
  if (first.trim() === '') {
    lines.shift()
    return []
  }
  const [, fence] = /^\s*(`{3,}|~{3,})/.exec(first) ?? []
  if (fence !== undefined) return [takeFence(lines, fence)]
  const [, marks, heading] = /^(#{1,6})\s+(.*)/.exec(first) ?? []
  if (marks !== undefined) {
    lines.shift()
    return [h('p', { class: 'heading' }, ...inline(heading ?? ''))]
  }
  const item = /^\s*(?:[-*+]|\d+[.)])\s+/
  if (item.test(first)) {
    const items = takeWhile(lines, (line) => item.test(line))
    return [h('ul', { class: 'items' }, ...items.map((line) => h('li', {}, ...inline(line.replace(item, '')))))]
  }
  const paragraph = takeWhile(
    lines,
    (line) => line.trim() !== '' && !/^\s*(`{3,}|~{3,})|^#{1,6}\s/.test(line) && !item.test(line),
  )
  return [h('p', {}, ...inline(paragraph.join('\n')))]
}

function takeFence(lines: string[], fence: string): HTMLElement {
  lines.shift()
  const code = takeWhile(lines, (line) => !line.trim().startsWith(fence), 0)
  lines.shift()
  return h('pre', { tabindex: 0 }, code.join('\n'))
}

/** Takes the first line and all that follow and fit. */
function takeWhile(lines: string[], fits: (line: string) => boolean, first = 1): string[] {
  const end = lines.findIndex((line, index) => index >= first && !fits(line))
  return lines.splice(0, end < 0 ? lines.length : end)
}

function inline(text: string): Child[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece) => {
    if (/^`[^`]+`$/.test(piece)) return h('code', {}, piece.slice(1, -1))
    return /^\*\*[^*]+\*\*$/.test(piece) ? h('strong', {}, piece.slice(2, -2)) : piece
  })
}
