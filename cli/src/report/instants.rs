//! Dates and times of day, as files write them: `2024-03-09 10:15:30.5`, with `T` for the space,
//! `/` for `-`, without seconds, without a time of day, and with a zone at the end.

/// Seconds since the start of 1970 by the clock of the text's own zone, and that zone as it is
/// written.
pub(super) fn parse(text: &str) -> Option<(f64, &str)> {
    let (date, rest) = text.split_at_checked(10)?;
    let number =
        |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
    let separator = *date.as_bytes().get(4)?;
    if !b"-/".contains(&separator) || date.as_bytes()[7] != separator {
        return None;
    }
    let [year, month, day]: [i64; 3] =
        [number(&date[..4])?, number(&date[5..7])?, number(&date[8..])?];
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let midnight = 86_400.0 * days(year, month, day) as f64;
    if rest.is_empty() {
        return Some((midnight, ""));
    }
    let rest = rest.strip_prefix(['T', ' '])?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && !":.".contains(c)).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let mut parts = clock.split(':');
    let hour = parts.next().filter(|text| text.len() == 2).and_then(number)?;
    let minute = parts.next().filter(|text| text.len() == 2).and_then(number)?;
    let second: f64 = match parts.next() {
        None => 0.0,
        Some(text) if text.len() >= 2 => text.parse().ok()?,
        Some(_) => return None,
    };
    let within = hour < 24 && minute < 60 && second < 61.0 && parts.next().is_none();
    let seconds = midnight + (3600 * hour + 60 * minute) as f64 + second;
    (within && is_zone(zone.trim_start())).then(|| (seconds, zone.trim_start()))
}

fn is_zone(text: &str) -> bool {
    let shift = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    matches!(text, "" | "Z" | "UTC") || text.strip_prefix(['+', '-']).is_some_and(shift)
}

/// `2024-03-09`.
pub(super) fn date(seconds: f64) -> String {
    let (year, month, day) = civil((seconds / 86_400.0).floor() as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `10:15`, with seconds and fractions of them where ticks are closer to each other.
pub(super) fn clock(seconds: f64, step: f64) -> String {
    let of_day = seconds.rem_euclid(86_400.0);
    let (hour, minute) = ((of_day / 3600.0) as u32, (of_day / 60.0) as u32 % 60);
    match step {
        step if step >= 60.0 => format!("{hour:02}:{minute:02}"),
        step if step >= 1.0 => format!("{hour:02}:{minute:02}:{:02.0}", of_day % 60.0),
        _ => format!("{hour:02}:{minute:02}:{:06.3}", of_day % 60.0),
    }
}

/// Days since 1970-01-01 in the calendar of today, which repeats itself every 400 years of 146,097
/// days.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // A year that begins in March has its leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// The inverse of [`days`].
fn civil(day: i64) -> (i64, i64, i64) {
    // Not later than the year is, and at most one too early.
    let mut year = 1970 + (day * 400).div_euclid(146_097) - 1;
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let month = (1..=12).rev().find(|&month| days(year, month, 1) <= day).unwrap_or(1);
    (year, month, day - days(year, month, 1) + 1)
}

fn days_of(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days(next_year, next, 1) - days(year, month, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_understood() {
        for (text, seconds, zone) in [
            ("1970-01-01", 0.0, ""),
            ("1970-01-02T00:00:01Z", 86_401.0, "Z"),
            ("2020/03/09 10:14", 1_583_748_840.0, ""),
            ("2020-03-09 10:14:33.25 +01:00", 1_583_748_873.25, "+01:00"),
            ("2000-02-29 23:59:59", 951_868_799.0, ""),
        ] {
            assert_eq!(parse(text), Some((seconds, zone)), "{text}");
        }
        for bad in ["", "2020", "2020-13-01", "2021-02-29", "1900-02-29", "2020-03-09 25:00"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        for bad in
            ["2020-03/09", "2020-03-09x10:00", "2020-03-09 10", "2020-03-09 10:0", "ü020-03-09"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(parse("2020-03-09 10:00:00 noon"), None);
    }

    #[test]
    fn every_day_has_its_date() {
        let mut expected = (1899, 12, 31);
        for day in days(1900, 1, 1)..days(2101, 1, 1) {
            let (year, month, last) = expected;
            expected = match last == days_of(year, month) {
                true if month == 12 => (year + 1, 1, 1),
                true => (year, month + 1, 1),
                false => (year, month, last + 1),
            };
            assert_eq!(civil(day), expected);
        }
        assert_eq!(expected, (2100, 12, 31));
        assert_eq!([date(951_868_799.0), clock(951_868_799.0, 1.0)], ["2000-02-29", "23:59:59"]);
        assert_eq!([clock(36_900.0, 900.0), clock(0.5, 0.1)], ["10:15", "00:00:00.500"]);
    }
}
