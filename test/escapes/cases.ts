/**
 * Ways out of the workspace `/w` that a command may try. What lies outside, and what is planted inside to help, `stage.ts` says. As data, so that
 * the same are tried on every file system.
 */
export interface EscapeCase {
  name: string
  command: string
  /** What it does where everything is part of the workspace, so that a case which tries nothing is found out. */
  otherwise: 'reads' | 'changes' | 'refused'
  /** Needs links; where there are none, none can be made or planted. */
  links?: true
  /** Must not be shown either, besides what the outside holds. */
  mustNotShow?: RegExp
}

export const escapeCases: readonly EscapeCase[] = [
  ...reading([
    ['an absolute path', 'cat /secret; cat //secret; cat /./w/../secret'],
    [
      'dots',
      'cat ../secret; cat sub/../../secret; cat deep/er/../../../secret; cat ./.././secret; cat nowhere/../../secret',
    ],
    ['a name that begins like the root', 'cat ../w-other/secret.txt; cat /w-other/secret.txt; cat /w/../w-other/*'],
    [
      'a change of directory',
      'cd ..; cat secret; cd /; cat secret; cd /hidden && cat secret.txt; cd -P ../hidden && cat *',
    ],
    ['a directory stack', 'pushd /hidden; cat secret.txt; pushd ..; cat secret; popd; dirs'],
    [
      'input from a file',
      'cat < ../secret; while read line; do echo "$line"; done < /secret; mapfile -t all < ../secret; echo "$all"',
    ],
    ['a descriptor', 'exec 3< ../secret; cat <&3; read -r -u 3 line; echo "$line"; { cat <&4; } 4< /secret'],
    [
      'expansions',
      'echo "$(</secret)" "$(cat ../secret)" `cat /secret`; cat <(cat ../secret); cat <<< "$(cat /secret)"; eval "cat /secret"',
    ],
    ['globs', 'cat ../s*; cat /sec*; cat ../hid*/*.txt; cat /*/secret.txt; shopt -s globstar; cat /**/secret.txt'],
    [
      'names in disguise',
      `cat $'../secret'; cat $'\\x2e\\x2e\\x2fsecret'; cat ..%2fsecret '..\\secret'; cat ..//..//secret; cat {..,/}/secret`,
    ],
    [
      'HOME',
      'cd; cat ../secret; HOME=/; cat ~/secret; cd; cat secret; HOME=..; cat $HOME/secret; cat ~root/secret ~/../secret',
    ],
    [
      'variables that lead somewhere',
      'CDPATH=/; cd hidden && cat secret.txt; OLDPWD=/; cd -; cat secret; PWD=/; cat ./secret; cat "$PWD/secret"',
    ],
    [
      'a script from outside',
      '. ../secret; source /hidden/secret.txt; bash ../secret; sh < /secret; BASH_ENV=/secret bash -c :; ENV=/secret sh -c :',
    ],
    [
      'tools that read',
      'head ../secret; tail /secret; sed -n p ../secret; sort /secret; nl ../secret; tac /secret; cut -c1- ../secret; diff a.txt ../secret; jq -R . /secret',
    ],
    [
      'tools that read what their script names',
      `sed 'r ../secret' a.txt; sed -n 'R /secret' a.txt; awk 'BEGIN { while ((getline line < "/secret") > 0) print line }'; awk 1 ../secret; echo ../secret | xargs cat`,
    ],
    ['a search', 'grep -r SECRET ..; grep -rh TOP /; rg TOP ..; rg TOP /hidden'],
    ['find', `find .. -type f -exec cat {} +; find / -name 'secret*' -exec cat {} \\;; find ../hidden | xargs cat`],
    [
      'a copy',
      'cp ../secret one; cp -r /hidden two; cp -r .. three; cp -a / four; cat one two/* three/secret four/secret; tee five < ../secret',
    ],
    [
      'an archive of it',
      'tar cf one.tar ../secret; tar cf two.tar /hidden; tar cPf three.tar /secret; tar cf four.tar -C / secret; tar cf - -C .. secret; zip -r five.zip ../hidden /secret; cat *.tar; gzip -c ../secret | gunzip',
    ],
    [
      'a comparison',
      'diff ../secret a.txt; diff -r .. sub; comm /secret a.txt; cmp ../secret a.txt; git diff --no-index a.txt /secret; git diff --no-index ../secret a.txt',
    ],
    [
      'node',
      `node -e 'const fs = require("fs"); for (const p of ["/secret", "../secret", "/w/../secret", "sub/../../secret", "/hidden/secret.txt"]) try { console.log(fs.readFileSync(p, "utf8")) } catch (e) { console.log(e.code) }'; node ../secret; node -p 'String(require("child_process").execSync("cat /secret"))'; node -e 'import("/secret").catch(e => console.log(e.message)); fs.promises.readFile("../secret", "utf8").then(console.log, () => {})'; node -p 'require("/hidden/secret.txt")'; node -e 'process.chdir(".."); console.log(fs.readFileSync("secret", "utf8"))'; node - < ../secret`,
    ],
  ]),
  {
    name: 'the names outside are not shown',
    command:
      'ls ..; ls /; ls -la ../..; echo ../*; find ..; find / -maxdepth 2; tree ..; du -a ..; compgen -f ../; cd ..; ls; echo *; pwd',
    otherwise: 'refused',
    mustNotShow: /hidden|w-other/,
  },
  {
    name: 'the machine is not there',
    command:
      'cat /proc/self/environ /proc/self/cwd/../secret /proc/self/root/secret /proc/1/cmdline /proc/mounts; ls /proc /sys; cat /etc/passwd /etc/hostname /etc/shadow ~root/.bashrc; ls /etc /root /home; ls /tmp /var/tmp; cat /dev/mem /dev/sda /dev/fd/3 /dev/../secret; exec 3<>/dev/tcp/127.0.0.1/22; cat <&3; env; id; hostname; cat /bin/sh',
    otherwise: 'reads',
    mustNotShow: /\b(?:daemon|sync):x|PATH=.*node|\bpolyfs-|SSH/,
  },
  {
    name: 'the engine of node has nothing of the machine',
    command: `node -e 'for (const p of ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/etc/hostname"]) try { console.log(fs.readFileSync(p, "utf8")) } catch (e) { console.log(e.code) }'; node -p 'process.binding("fs")'; node -e 'for (const name of ["http", "net", "worker_threads", "inspector", "node:sqlite", "cluster", "dgram"]) try { console.log(require(name)) } catch (e) { console.log(e.code) }'; node -p 'this.constructor.constructor("return [typeof WebAssembly, typeof Deno, typeof postMessage, typeof self, typeof importScripts, typeof fetch, typeof XMLHttpRequest].join()")()'; node -p 'process.mainModule + process.env.PATH + JSON.stringify(process.env)'; node -e 'import("file:///etc/passwd").catch(e => console.log(e.message)); import("data:text/javascript,1").catch(e => console.log(e.message))'; node -p 'console.log.constructor("return process")().mainModule.require("child_process").execSync("id; env; cat /etc/passwd; cat /proc/self/environ") + ""'; node -p 'try { sys("read", "/etc/passwd") } catch (e) { e.message }'; node -p '$polyfs.internal.sys("read", "/etc/passwd")'; node -p '$polyfs.internal.sys("constructor"), 1'; node -p 'try { $polyfs.internal.sys("__proto__") } catch (e) { e.stack }'`,
    otherwise: 'refused',
    mustNotShow: /\b(?:daemon|sync):x|PATH=.*node|\bpolyfs-|SSH|file:\/\/\/(?!etc)|node_modules|dist\//,
  },
  ...changing([
    [
      'node',
      `node -e 'for (const run of [() => fs.writeFileSync("/made", "x"), () => fs.appendFileSync("../secret", "x"), () => fs.mkdirSync("../made2/x", { recursive: true }), () => fs.rmSync("/hidden", { recursive: true }), () => fs.renameSync("a.txt", "../moved"), () => fs.copyFileSync("sub/../plain.patch", "/made3"), () => fs.cpSync("sub", "../made4", { recursive: true }), () => fs.chmodSync("/secret", 0o777), () => fs.truncateSync("../secret"), () => fs.createWriteStream("/made5").end("x")]) try { run() } catch (e) { console.log(e.code) }'; node -e 'child_process.execSync("echo x > ../made6")'`,
    ],
    [
      'a redirection',
      'echo x > ../made; echo x > /made2; echo x >> ../secret; echo x >| /secret; echo x &> ../made3; echo x 2> ../made4; echo x >& /made5; : > /secret',
    ],
    ['a descriptor to write to', 'exec 4> ../made; echo x >&4; { echo x >&5; } 5>> /secret; exec > ../made2; echo x'],
    [
      'making',
      'mkdir ../made; mkdir -p /made/x ../made2/y; touch ../made3 /made4; mktemp -p ..; mktemp ../XXXXXX; mktemp -d /XXXXXX',
    ],
    [
      'removing',
      'rm ../secret; rm -f /secret; rm -rf ../hidden /w-other; rmdir ../hidden/empty; rm -rf ..; rm -rf / --no-preserve-root; rm -rf /*; find .. -delete; find / -type f -delete',
    ],
    ['moving', 'mv ../secret ../moved; mv a.txt ..; mv sub /moved2; mv /hidden mine; mv ../secret .; cd ..; mv w v'],
    ['copying', 'cp a.txt ../made; cp a.txt /secret; cp -r sub /made2; cp -r sub ..; cat a.txt | tee ../made3 /made4'],
    [
      'tools that write',
      `sed -i s/TOP/X/ ../secret; sort -o ../made a.txt; split -l 1 a.txt ../part; sed -n 'w ../made2' a.txt; awk 'BEGIN { print "x" > "../made3"; print "x" >> "/secret" }'; echo ../made4 | xargs touch; find . -name a.txt -exec cp {} ../made5 \\;`,
    ],
    [
      'rights and times',
      'chmod 777 ../secret /hidden; chmod -R 700 ..; touch -d 2001-01-01 ../secret; touch ../secret; mkdir ../x',
    ],
    [
      'packing',
      'tar cf ../made.tar a.txt; tar czf /made.tgz a.txt; zip ../made.zip a.txt; gzip -c a.txt > ../made.gz; gzip ../secret; cd sub; gzip -k ../../secret',
    ],
    [
      'unpacking elsewhere',
      'tar cf in.tar a.txt; tar xf in.tar -C ..; tar -C / -xf in.tar; cd ..; tar xf w/in.tar; cd /w; zip -q in.zip a.txt; unzip -o in.zip -d ..; unzip -o in.zip -d /made; unzip -o /w/in.zip -d ../hidden',
    ],
    [
      'a patch',
      'cd ..; patch -p0 < w/outward.patch; cd /w; patch -d .. -p0 < plain.patch; patch -d / -p0 -i /w/plain.patch',
    ],
    [
      'git elsewhere',
      'git init ..; git init /made; git -C .. init; git -C /hidden init; cd ..; git init; cd /w; GIT_DIR=../made.git git init; git --git-dir=/made.git --work-tree=/ init',
    ],
    [
      'git on files elsewhere',
      'git init; git -C . add ../secret; git add /secret ..; git checkout -- ../secret; git restore ../secret; cd ..; git init; git add .; git commit -m x',
    ],
  ]),
  ...refusing([
    [
      'a program from outside',
      'PATH=/hidden:..:/; secret; secret.txt; /secret; ../secret; command ../secret; /hidden/secret.txt',
    ],
    ['a hard link', 'ln ../secret hard && cat hard; ln /secret hard2; cat hard2; cp -l /secret hard3; cat hard3'],
    [
      'an archive whose names lead out',
      'tar xf slip.tar; tar xPf slip.tar; tar xf slip.tar -C sub; tar --extract --file=slip.tar; cd sub; tar xf ../slip.tar',
    ],
    [
      'a zip archive whose names lead out',
      'unzip -o slip.zip; unzip -o slip.zip -d sub; cd deep/er; unzip -o ../../slip.zip; unzip -o /w/links.zip',
    ],
    [
      'an archive with a link to write through',
      'tar xf links.tar; tar xPf links.tar; cat out/secret.txt; echo x > out/made; tar xf links.tar -C sub; cat sub/out/secret.txt',
    ],
    [
      'a patch whose names lead out',
      'patch -p0 < outward.patch; patch -p1 < outward.patch; patch -p0 -d sub < outward.patch; git init; git apply outward.patch',
    ],
    [
      'a repository that says it is elsewhere',
      'cd repository; git status; git log; git add .; git commit -m x; git checkout -b y',
    ],
  ]),
  ...linked(
    reading([
      [
        'a link',
        'cat to-file; cat to-file-absolute; cat up/secret to-directory/secret.txt; head to-file; sort < to-file; echo "$(<to-file)"',
      ],
      [
        'a chain of links',
        'cat chain/secret.txt; cat chain2/secret.txt; cat deep/chain3/secret.txt; cat sub/round/secret.txt; cat up/up/secret up/w/up/secret',
      ],
      [
        'a change of directory through a link',
        'cd up && cat secret; cd /w; cd -P to-directory && cat secret.txt; cd /w/to-directory/..; cat secret; cd /w/chain; cat *; pwd -P; ls',
      ],
      [
        'globs through links',
        'cat */secret.txt; cat up/s*; cat chain/* to-*; cat to-directory/*; shopt -s globstar; cat **/secret.txt',
      ],
      [
        'a script behind a link',
        '. ./to-file; source up/secret; bash to-file; sh to-directory/secret.txt; ./to-file; PATH=/w/up; secret',
      ],
      [
        'a walk that follows links',
        'find -L . -type f -exec cat {} +; find . -follow -name "secret*" -exec cat {} +; grep -rR TOP .; rg -L TOP .; ls -LR .; du -aL .',
      ],
      [
        'a copy of links',
        'cp to-file one; cp -L to-file-absolute two; cp -r up three; cp -rL to-directory four; cp -a chain five; cat one two three/secret four/secret.txt five/secret.txt',
      ],
      [
        'an archive of links',
        'tar chf one.tar to-file to-directory up; tar cf two.tar up/secret to-directory/secret.txt; zip -r three.zip . -i "*"; zip four.zip to-file up/secret; cat *.tar *.zip; gzip -c to-file | gunzip',
      ],
      [
        'a link made on the way',
        'ln -s /secret mine; cat mine; ln -s ../secret other; cat other; ln -s .. dir; cat dir/secret; ln -sf /hidden sub/x; cat sub/x/secret.txt; ln -sfn / top; cat top/secret',
      ],
      [
        'a link in the place of a directory',
        'mkdir swap; echo x > swap/secret.txt; cat swap/secret.txt; rm -r swap; ln -s /hidden swap; cat swap/secret.txt; rm -r sub; mv to-directory sub; cat sub/secret.txt; mv sub deep/moved; cat deep/moved/secret.txt',
      ],
      [
        'a link that leads out once it is moved',
        'mkdir d; ln -s ../secret d/l; cat d/l; mv d/l l; cat l; mkdir -p e/f; ln -s ../../secret e/f/l; cp -a e/f/l m; cat m; mv e/f g; cat g/l; ln -s d/../../secret n; cat n',
      ],
    ]),
  ),
  ...linked(
    refusing([
      [
        'a hard link to a link',
        'ln to-file hard && cat hard; ln to-directory/secret.txt hard2; cat hard2; ln -L to-file hard3; cat hard3',
      ],
    ]),
  ),
  ...linked(
    changing([
      [
        'writing through a link',
        'echo x > to-file; echo x >> to-file-absolute; echo x > up/made; echo x > to-directory/made; echo x > chain/made; echo x | tee to-file; cp a.txt to-file; cp a.txt to-directory; sort -o to-file a.txt; sed -i s/T/X/ to-directory/secret.txt',
      ],
      [
        'making and removing through a link',
        'mkdir up/made to-directory/made chain/made; touch up/made2; rm up/secret; rm -rf to-directory/ up/hidden chain/; rm -rf to-directory/*; rmdir up/hidden/empty; find -L . -delete; find to-directory/ -delete',
      ],
      [
        'moving through a link',
        'mv a.txt up/; mv sub to-directory/; mv to-directory/secret.txt mine; mv up/secret .; mv up/hidden here',
      ],
      [
        'rights through a link',
        'chmod 777 to-file; chmod -R 700 to-directory/ up/hidden; touch -d 2001-01-01 to-file up/secret; chmod 600 chain/secret.txt',
      ],
      [
        'unpacking through a link',
        'tar cf in.tar a.txt; tar xf in.tar -C up; tar xf in.tar -C to-directory; cd up; tar xf w/in.tar; cd /w; zip -q in.zip a.txt; unzip -o in.zip -d to-directory; unzip -o in.zip -d up',
      ],
      [
        'git and patch through a link',
        'git init up; git -C to-directory init; git init chain; patch -d up -p0 < plain.patch; cd up; git init; patch -p0 < w/plain.patch',
      ],
    ]),
  ),
  {
    name: 'links that go round end, and so do walks over them',
    command:
      'cat loop ping/x; cd loop; ls -R . > /dev/null; find -L . > /dev/null; cp -r loop copy; cp -rL ping copy2; grep -r nothing . ; du -L . > /dev/null; tar cf l.tar loop ping; echo x > loop; echo x > ping/x; mkdir loop/x; readlink -f ping; realpath loop; rm loop ping pong; echo over',
    otherwise: 'refused',
    links: true,
  },
]

type Pair = [name: string, command: string]

function reading(pairs: Pair[]): EscapeCase[] {
  return pairs.map(([name, command]) => ({ name: `read: ${name}`, command, otherwise: 'reads' }))
}

function changing(pairs: Pair[]): EscapeCase[] {
  return pairs.map(([name, command]) => ({ name: `change: ${name}`, command, otherwise: 'changes' }))
}

function refusing(pairs: Pair[]): EscapeCase[] {
  return pairs.map(([name, command]) => ({ name: `refused anywhere: ${name}`, command, otherwise: 'refused' }))
}

function linked(cases: EscapeCase[]): EscapeCase[] {
  return cases.map((one) => ({ ...one, links: true }))
}
