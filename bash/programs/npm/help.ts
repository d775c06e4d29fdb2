/** The help of npm: what it has here. */
import { notice } from '../originals.js'
import { npmVersion } from './version-numbers.js'

export function usage(home: string): string {
  return `npm <command>

Usage:

npm install        install all the dependencies in your project
npm install <foo>  add the <foo> dependency to your project
npm test           run this project's tests
npm run <foo>      run the script named <foo>
npm exec <foo>     run a program of the packages in node_modules

All commands:

    ci, exec, help, init, install, ls, pkg, prefix, restart, root,
    run, start, stop, test, uninstall, version

Specify configs in the ini-formatted file:
    ${home}/.npmrc
or on the command line via: npm <command> --key=value

npm@${npmVersion} /usr/lib/node_modules/npm
${notice}`
}
