/** Asks for the address of a repository, clones it, and opens what was cloned as a workspace in memory. */
import '../page/form.css'
import './clone.css'
import type { CloneStep } from '../../src/git/commands/fetch-origin.js'
import type { App } from '../page/app.js'
import { showDialog } from '../page/dialogs.js'
import { button, formatBytes, h } from '../page/dom.js'
import { originOf } from '../page/other-origin.js'
import type { Place } from '../page/place.js'
import type { CloneRequest } from './clone-messages.js'
import { describeFailure } from './describe-failure.js'
import { runClone } from './run-clone.js'

const proxyName = 'polyfs-clone-proxy'

/** `mayLeave` asks before the open workspace is left. */
export function askForRepository(app: App, mayLeave: () => Promise<boolean>): void {
  const text = (placeholder: string, value = '') =>
    h('input', { type: 'text', placeholder, value, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off' })
  const url = text('https://example.org/team/project.git')
  const branch = text('the default branch')
  const depth = h('input', { type: 'number', min: 1, step: 1, value: 1, placeholder: 'all' })
  const proxy = text('none', localStorage.getItem(proxyName) ?? '')
  const fault = h('p', { class: 'remark failed', role: 'alert', hidden: true })
  const status = h('p', { class: 'remark', role: 'status' })
  const bar = h('progress', { 'aria-label': 'Progress of the clone', hidden: true })
  const go = h('button', { type: 'submit', class: 'primary' }, 'Clone')
  const cancel = button('Cancel', () => (running === undefined ? dialog.close() : running.abort()))
  /** What ends the clone that runs. */
  let running: AbortController | undefined
  const fields = h(
    'fieldset',
    {},
    h('label', {}, 'Address', url),
    h('div', { class: 'pair' }, h('label', {}, 'Branch', branch), h('label', {}, 'Commits', depth)),
    h(
      'p',
      { class: 'hint' },
      'With 1, only the newest commit of one branch is fetched (a shallow clone), which is quick. Leave it empty for the whole history with all branches.',
    ),
    h('label', {}, 'CORS proxy', proxy),
    h(
      'p',
      { class: 'hint' },
      'Most hosts, GitHub among them, do not let pages read them (they send no CORS headers), so they need a proxy; use one that you trust, since it sees what is fetched.',
    ),
  )
  const form = h(
    'form',
    { class: 'clone-form', novalidate: true },
    fields,
    fault,
    bar,
    status,
    h('div', { class: 'actions' }, cancel, go),
  )
  const dialog = showDialog('Clone a repository', form)
  url.focus()
  dialog.addEventListener('close', () => running?.abort())
  // Escape ends what runs before it closes the dialog.
  dialog.addEventListener('cancel', (event) => {
    if (running === undefined) return
    event.preventDefault()
    running.abort()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void clone()
  })

  async function clone(): Promise<void> {
    const request = requestOf({ url: url.value, branch: branch.value, depth: depth.value, proxy: proxy.value })
    if (typeof request === 'string') return fail(request)
    const controller = new AbortController()
    show(controller)
    const hadUnsaved = app.hasUnsaved()
    try {
      if (!(await mayLeave())) return
      onStep({ phase: 'connect' })
      const { name, tree, ...about } = await runClone(request, { signal: controller.signal, onStep })
      // An agent may have changed something meanwhile.
      if (!hadUnsaved && !(await mayLeave())) return
      if (request.corsProxy === undefined) localStorage.removeItem(proxyName)
      else localStorage.setItem(proxyName, request.corsProxy)
      running = undefined
      dialog.close()
      const place: Place = { title: name, kind: 'clone', source: { snapshot: tree } }
      const isOpen = await app.attempt(`open ${name}`, () => app.open(place).then(() => true))
      if (isOpen) app.notify(summaryOf(name, about))
    } catch (error) {
      if (controller.signal.aborted) status.textContent = 'Cancelled; nothing was opened.'
      else fail(describeFailure(error, request, navigator.onLine))
    } finally {
      show(undefined)
    }
  }

  function show(controller: AbortController | undefined): void {
    running = controller
    const isRunning = controller !== undefined
    fields.disabled = isRunning
    go.disabled = isRunning
    bar.hidden = !isRunning
    if (!isRunning) return
    fault.hidden = true
    status.textContent = ''
    cancel.focus()
  }

  function fail(sentence: string): void {
    status.textContent = ''
    fault.textContent = sentence
    fault.hidden = false
  }

  function onStep(step: CloneStep): void {
    status.textContent = textOf(step, url.value)
    if ('total' in step && step.total) {
      bar.max = step.total
      bar.value = step.done
    } else bar.removeAttribute('value')
  }
}

/** What to clone, or what is wrong with what was entered. */
function requestOf(given: Record<'url' | 'branch' | 'depth' | 'proxy', string>): CloneRequest | string {
  const entered = given.url.trim()
  if (entered === '') return 'Enter the address of a repository.'
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/](.+)$/.exec(entered)
  if (ssh) return `A page can’t use SSH. Try https://${ssh[1]}/${ssh[2]}.`
  const url = (/^[a-z+]+:/i.test(entered) ? entered : `https://${entered}`).replace(/[?#].*$/, '').replace(/\/+$/, '')
  if (originOf(url) === undefined) return 'The address has to begin with https:// or http://.'
  if (new URL(url).username !== '') return 'Leave out the user name and password: this page sends none.'
  const corsProxy = given.proxy.trim().replace(/\/+$/, '')
  if (corsProxy !== '' && originOf(corsProxy) === undefined)
    return 'The address of the proxy has to begin with https:// or http://.'
  const depth = given.depth === '' ? undefined : Number(given.depth)
  if (depth !== undefined && !(Number.isInteger(depth) && depth >= 1))
    return 'The number of commits has to be at least 1; leave it empty for all.'
  const branch = given.branch.trim()
  return {
    url,
    ...(branch !== '' && { branch }),
    ...(depth !== undefined && { depth }),
    ...(corsProxy !== '' && { corsProxy }),
  }
}

function textOf(step: CloneStep, url: string): string {
  const counted = (done: number, total = 0) => `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  switch (step.phase) {
    case 'connect':
      return `Asking ${url.trim()}…`
    case 'prepare':
      return `The server prepares ${counted(step.done, step.total)} objects…`
    case 'receive':
      return `Received ${formatBytes(step.bytes)}…`
    case 'unpack':
      return `Unpacking ${counted(step.done, step.total)} objects…`
    case 'write':
      return `Writing ${counted(step.done, step.total)} files…`
  }
}

function summaryOf(name: string, { branch, files }: { branch?: string; files: number }): string {
  if (branch === undefined) return `${name} was cloned; it has no commits yet`
  return `${name} was cloned: ${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'} of the branch ${branch}`
}
