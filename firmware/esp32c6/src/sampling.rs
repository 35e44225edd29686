//! Samples of both axes a thousand times a second, in the interrupt of a timer.

use core::cell::RefCell;

use critical_section::Mutex;
use esp_hal::Blocking;
use esp_hal::analog::adc::{Adc, AdcConfig, AdcPin, Attenuation};
use esp_hal::handler;
use esp_hal::interrupt::Priority;
use esp_hal::peripherals::{ADC1, GPIO0, GPIO1, TIMG0};
use esp_hal::time::Rate;
use esp_hal::timer::PeriodicTimer;
use esp_hal::timer::timg::TimerGroup;
use fan::Sample;
use heapless::spsc::{Consumer, Producer, Queue};
use static_cell::ConstStaticCell;

/// Long enough for the longest step of learning.
const BEHIND: usize = 256;
static QUEUE: ConstStaticCell<Queue<Sample, BEHIND>> = ConstStaticCell::new(Queue::new());
/// What the interrupt works with; nobody else touches it once it is there.
static SENSOR: Mutex<RefCell<Option<Sensor>>> = Mutex::new(RefCell::new(None));

struct Sensor {
    timer: PeriodicTimer<'static, Blocking>,
    adc: Adc<'static, ADC1<'static>, Blocking>,
    ax: AdcPin<GPIO0<'static>, ADC1<'static>>,
    ay: AdcPin<GPIO1<'static>, ADC1<'static>>,
    samples: Producer<'static, Sample>,
    missed: u32,
}

/// How many samples found no room.
pub fn missed() -> u32 {
    critical_section::with(|cs| SENSOR.borrow_ref(cs).as_ref().map_or(0, |sensor| sensor.missed))
}

/// Begins to sample: `ax` on GPIO0, `ay` on GPIO1.
pub fn start(
    timers: TIMG0<'static>,
    adc: ADC1<'static>,
    ax: GPIO0<'static>,
    ay: GPIO1<'static>,
) -> Consumer<'static, Sample> {
    let (samples, taken) = QUEUE.take().split();
    let mut config = AdcConfig::new();
    let ax = config.enable_pin(ax, Attenuation::_11dB);
    let ay = config.enable_pin(ay, Attenuation::_11dB);
    let adc = Adc::new(adc, config);
    let mut timer = PeriodicTimer::new(TimerGroup::new(timers).timer0);
    timer.set_interrupt_handler(on_tick);
    timer.listen();
    critical_section::with(|cs| {
        let started = timer.start(Rate::from_hz(fan::RATE).as_duration());
        debug_assert!(started.is_ok(), "a millisecond is within the timer's range");
        let sensor = Sensor { timer, adc, ax, ay, samples, missed: 0 };
        SENSOR.borrow_ref_mut(cs).replace(sensor);
    });
    taken
}

#[handler(priority = Priority::Priority3)]
fn on_tick() {
    critical_section::with(|cs| {
        if let Some(sensor) = SENSOR.borrow_ref_mut(cs).as_mut() {
            sensor.tick();
        }
    });
}

impl Sensor {
    fn tick(&mut self) {
        self.timer.clear_interrupt();
        let ax = nb::block!(self.adc.read_oneshot(&mut self.ax));
        let ay = nb::block!(self.adc.read_oneshot(&mut self.ay));
        let taken = match (ax, ay) {
            (Ok(ax), Ok(ay)) => self.samples.enqueue([ax as i16, ay as i16]).is_ok(),
            _ => false,
        };
        self.missed += u32::from(!taken);
    }
}
