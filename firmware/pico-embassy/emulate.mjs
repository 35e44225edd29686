// Runs a firmware in an emulated RP2040, and plays a recording into its converter:
//
//   node emulate.mjs FIRMWARE.elf RECORDING.csv [SAMPLE ...]
//
// The recording is played from its first line, and the chip runs until it has ended. For every further SAMPLE the chip is reset, its
// flash staying what it is, and the recording is played from there. What the firmware sends over UART0 goes to standard output, with a
// line "reset" in between; how long it took, in cycles of the chip, goes to standard error.
import { readFileSync } from 'node:fs';
import { ConsoleLogger, LogLevel, RP2040 } from 'rp2040js';

const FLASH = 0x10000000;
const VECTORS = 0x10000100;
// Where the stubs of the boot ROM are, in a ROM that has nothing else.
const LOOKUP = 0x100, FUNCTIONS = 0x400;

const [elfFile, recordingFile, ...starts] = process.argv.slice(2);
const recording = readFileSync(recordingFile, 'utf8').trim().split('\n').slice(1)
  .map((line) => line.split(',').map(Number));

// Copies what is to be loaded into flash; the rest of it is erased.
function program(elf) {
  const flash = new Uint8Array(16 * 1024 * 1024).fill(0xff);
  const [table, size, count] = [elf.readUInt32LE(28), elf.readUInt16LE(42), elf.readUInt16LE(44)];
  for (let i = 0; i < count; i++) {
    const entry = table + i * size;
    const [kind, offset, address, length] =
      [0, 4, 12, 16].map((field) => elf.readUInt32LE(entry + field));
    if (kind === 1 && length > 0 && address >= FLASH && address < FLASH + flash.length) {
      flash.set(elf.subarray(offset, offset + length), address - FLASH);
    }
  }
  return flash;
}

// What the firmware calls of the boot ROM, by the names that it looks up: all of it is about flash.
function romFunctions(mcu) {
  return {
    IF: () => {}, // connect
    EX: () => {}, // leave XIP
    FC: () => {}, // flush
    CX: () => {}, // enter XIP
    RE: ([start, length]) => mcu.flash.fill(0xff, start, start + length),
    RP: ([start, from, length]) => {
      for (let i = 0; i < length; i++) mcu.flash[start + i] &= mcu.readUint8(from + i);
    },
    C4: ([to, from, length]) => {
      for (let i = 0; i < length; i += 4) mcu.writeUint32(to + i, mcu.readUint32(from + i));
    },
  };
}

function run(flash, start) {
  const mcu = new RP2040();
  mcu.logger = new ConsoleLogger(LogLevel.Error, true);
  mcu.flash.set(flash.subarray(0, mcu.flash.length));
  const { core, clock, adc } = mcu;
  core.VTOR = VECTORS;
  core.SP = mcu.readUint32(VECTORS);
  core.PC = mcu.readUint32(VECTORS + 4) & ~1;
  // Nobody presses the button.
  mcu.gpio[14].setInputValue(true);
  // No stream of flash is ever under way.
  mcu.peripherals[0x14000] = { readUint32: () => 0, writeUint32Atomic: () => {} };

  const rom = romFunctions(mcu), names = Object.keys(rom);
  mcu.bootrom[0x14 / 4] = FUNCTIONS;
  mcu.bootrom[0x18 / 4] = LOOKUP | 1;
  const callRom = () => {
    const r = core.registers;
    if (core.PC === LOOKUP) {
      const name = String.fromCharCode(r[1] & 0xff, (r[1] >> 8) & 0xff);
      if (!names.includes(name)) throw new Error(`no function ${name} in this ROM`);
      r[0] = (FUNCTIONS + 4 * names.indexOf(name)) | 1;
    } else {
      rom[names[(core.PC - FUNCTIONS) / 4]](r);
    }
    core.PC = core.LR & ~1;
  };

  // A line of the recording lasts from one reading of the first channel to the next.
  let sample = start - 1, ended = false;
  adc.onADCRead = (channel) => {
    if (channel === 0) sample++;
    ended ||= sample >= recording.length;
    const line = recording[Math.min(sample, recording.length - 1)];
    adc.channelValues[channel] = line[channel];
    adc.currentChannel = channel;
    adc.sampleAlarm.schedule(adc.sampleTime * 1000);
  };
  mcu.uart[0].onByte = (byte) => process.stdout.write(String.fromCharCode(byte));

  let asleep = 0;
  // After the last sample there is still something to say.
  for (let after = 0; after < 20e6; ) {
    const before = clock.nanos;
    if (core.waiting) {
      const rest = clock.nanosToNextAlarm;
      if (!(rest > 0)) throw new Error('asleep for ever');
      clock.tick(rest);
      asleep += rest;
    } else if (core.PC < 0x4000) {
      callRom();
    } else {
      clock.tick(core.executeInstruction() * (1e9 / mcu.clkSys));
    }
    if (ended) after += clock.nanos - before;
  }
  const percent = (100 * (1 - asleep / clock.nanos)).toFixed(1);
  const ms = (clock.nanos / 1e6).toFixed(0);
  console.error(`${recording.length - start} samples: ${core.cycles} cycles in ${ms} ms, at work for ${percent} % of them`);
  return mcu.flash;
}

let flash = run(program(readFileSync(elfFile)), 0);
for (const start of starts) {
  console.log('reset');
  flash = run(flash, Number(start));
}
