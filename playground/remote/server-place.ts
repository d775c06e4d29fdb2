/** The place of a page that `polyfs ui` serves: the directories of the computer. */
import './clients.css'
import { enterServer, NotAdmitted } from '../../web/remote/connection.js'
import type { RemoteFiles } from '../../web/remote/remote.js'
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'
import type { Place } from '../page/place.js'
import { serverOf } from './server-of.js'

/** For this origin only, so that no page of another server has it. */
const keyName = 'polyfs-ui-key'

/** Opens the directories. False if the server does not admit the page, which then says why. */
export async function openServer(app: App): Promise<boolean> {
  try {
    await app.open(await serverPlace())
    app.setDialect((await (serverOf(app.workspace.files) as RemoteFiles).about()).dialect)
    enterAgain(app)
    return true
  } catch (error) {
    if (!(error instanceof NotAdmitted)) throw error
    showNotAdmitted(error.message)
    return false
  }
}

/** Takes the token of an address that is opened in this tab, and goes on where the server does not know the page any more. */
function enterAgain(app: App): void {
  let isBarred = false
  app.on('barred', () => {
    isBarred = true
  })
  app.on('opened', () => {
    isBarred = false
  })

  async function reopen(key: string): Promise<void> {
    if (isBarred) await app.reopen(placeOf(key))
  }

  async function enter(token: string): Promise<void> {
    const key = await enterServer(location.origin, token)
    localStorage.setItem(keyName, key)
    await reopen(key)
  }

  addEventListener('hashchange', () => {
    const token = takeToken()
    if (token === undefined) return
    void enter(token).catch(
      (error) => isBarred && app.notify(`${error.message}. Press Enter in its terminal.`, 'failed'),
    )
  })
  // Another tab was let in.
  addEventListener('storage', (event) => {
    const { key, newValue } = event as StorageEvent
    if (key === keyName && newValue !== null) void reopen(newValue).catch(() => {})
  })
}

/** Enters with the token in the address, or with the key of an earlier visit. Fails with `NotAdmitted`. */
async function serverPlace(): Promise<Place> {
  const token = takeToken()
  const known = localStorage.getItem(keyName)
  const key = token === undefined ? known : await enterServer(location.origin, token).catch(knownOr(known))
  if (key === null) throw new NotAdmitted('This page is opened with an address that polyfs prints')
  localStorage.setItem(keyName, key)
  return placeOf(key)
}

function placeOf(key: string): Place {
  return { title: location.host, kind: 'server', source: { server: location.origin, key } }
}

/** An address that was used in this browser may be opened again. */
function knownOr(key: string | null) {
  return (error: unknown) => {
    if (key === null) throw error
    return key
  }
}

/** Removes the token from the address at once, so that it gets into no history and no bookmark. */
function takeToken(): string | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1))
  const token = parameters.get('token') ?? undefined
  parameters.delete('token')
  const rest = parameters.size === 0 ? location.pathname + location.search : `#${parameters}`
  if (token !== undefined) history.replaceState(null, '', rest)
  return token
}

/** Shown in place of everything else. */
function showNotAdmitted(reason: string): void {
  localStorage.removeItem(keyName)
  document.body.replaceChildren(
    h(
      'main',
      { class: 'not-admitted' },
      h('h1', {}, 'polyfs'),
      h('p', { role: 'alert' }, `${reason}.`),
      h(
        'p',
        {},
        'Every address that polyfs prints opens one browser. For a new one, press Enter in the terminal where ',
        h('code', {}, 'polyfs ui'),
        ' runs, or start it again.',
      ),
    ),
  )
}
