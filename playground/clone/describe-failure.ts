/** Why a clone failed, in sentences that say what to do next. */
import { type GitRefusal, isFsError } from '../../src/errors.js'
import { describe } from '../page/describe-error.js'
import { originOf } from '../page/other-origin.js'
import type { CloneRequest } from './clone-messages.js'
import { BlockedByPolicy } from './run-clone.js'

const onComputer = 'clone it on your computer and open the folder'

export function describeFailure(error: unknown, request: CloneRequest, isOnline: boolean): string {
  const asked = request.corsProxy ?? request.url
  if (error instanceof BlockedByPolicy) {
    return `The site that serves this page does not let it connect to ${originOf(asked)}, or was sent on to another server. Who runs the site can allow it in its Content-Security-Policy; or ${onComputer}.`
  }
  if (isFsError(error, 'OUTSIDE') || isFsError(error, 'PROTECTED') || isFsError(error, 'INVALID_PATH')) {
    return `The repository has a name that is not safe to write (${error.facts.path}), so nothing of it was opened.`
  }
  if (!isOnline && isUnreached(error)) return 'This computer is offline. Connect it to a network, and try again.'
  if (!isFsError(error, 'GIT_REFUSED')) return `It could not be cloned: ${describe(error)}.`
  const { reason, subject = '' } = error.facts
  return sentences[reason]?.(request, subject) ?? `It could not be cloned: ${describe(error)}.`
}

/** Also where the page could not load the code that clones. */
function isUnreached(error: unknown): boolean {
  if (!isFsError(error)) return true
  return isFsError(error, 'GIT_REFUSED') && ['network', 'cross-origin'].includes(error.facts.reason)
}

type Sentence = (request: CloneRequest, subject: string) => string

const sentences: Partial<Record<GitRefusal, Sentence>> = {
  'unknown-repository': ({ url }) =>
    `${hostOf(url)} has no repository at this address. Check the spelling; a private one is not shown here.`,
  'login-required': ({ url }) =>
    `${hostOf(url)} wants a login, and this page sends none. Check the spelling; if the repository is private, ${onComputer}.`,
  'not-a-git-server': ({ corsProxy }) =>
    `No git server answers there. Enter the address that “git clone” takes${corsProxy === undefined ? '' : ', and check the address of the proxy'}.`,
  'cross-origin': ({ url }) =>
    `${hostOf(url)} can’t be reached, or does not let pages read it (CORS). Enter a CORS proxy below, or ${onComputer}.`,
  network: ({ url, corsProxy }) =>
    corsProxy === undefined
      ? `${hostOf(url)} failed to answer. Try again in a while.`
      : `The proxy ${hostOf(corsProxy)} can’t be reached, does not let this page read it, or did not reach ${hostOf(url)}. Check both addresses.`,
  'unknown-branch': (_, branch) =>
    branch === 'HEAD'
      ? 'The repository has no default branch. Enter the name of one.'
      : `There is no branch “${branch}”. Check its name, or leave it empty for the default branch.`,
  'invalid-name': (_, name) => `Git does not allow “${name}”. Check the address and the branch.`,
  'too-large': ({ depth }, what) =>
    `It is too large for this page: ${what}. ${depth === 1 ? `Please ${onComputer}.` : `Fetch fewer commits, or ${onComputer}.`}`,
  'unsafe-tree': (_, name) =>
    `The repository has a name that is not safe to write (${name}), so nothing of it was opened.`,
  'unsupported-repository': ({ depth }) =>
    depth === undefined
      ? `The repository has something that is not supported here. Please ${onComputer}.`
      : 'This server sends whole histories only. Leave the number of commits empty.',
  'damaged-repository': () => 'What the server sent is damaged or cut off. Try again; nothing was opened.',
}

function hostOf(url: string): string {
  return new URL(url).host
}
