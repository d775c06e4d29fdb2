import * as z from 'zod'
import { paging } from '../../define-tool.js'

/** Parameters of the tool `git`. */
export const gitInput = {
  action: z.enum([
    'status',
    'diff',
    'log',
    'show',
    'add',
    'restore',
    'commit',
    'branch',
    'checkout',
    'merge',
    'cherry-pick',
    'init',
    'clone',
  ]),
  path: z.string().default('.').describe('Directory in the repository'),
  paths: z.array(z.string()).exactOptional(),
  revision: z.string().min(1).exactOptional().describe('Or a..b or a...b, in diff'),
  staged: z.boolean().default(false),
  stat: z.boolean().default(false),
  message: z.string().exactOptional(),
  author: z.string().exactOptional().describe('Name <mail>'),
  name: z.string().min(1).exactOptional().describe('Branch to make'),
  url: z.string().exactOptional(),
  force: z.boolean().default(false),
  abort: z.boolean().exactOptional(),
  limit: z.int().min(1).exactOptional(),
  ...paging,
}

export type GitArgs = z.output<z.ZodObject<typeof gitInput>>
