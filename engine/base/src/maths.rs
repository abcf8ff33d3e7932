//! Transcendental functions with the same bits on every platform and thread count.
//!
//! The standard library's `sin` and friends call the platform's maths library, whose last
//! bits differ; whatever is saved, hashed or simulated uses these instead.

pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
