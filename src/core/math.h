// core/math.h: elementary functions that give the same bits on every machine.
//
// The C libraries differ in the last digit of sin and exp, and a cloth remembers a last digit for
// ever. These are built from + - * / alone, which IEEE 754 fixes, so any compiler that neither
// contracts nor reorders gives the same result. Each reduces its argument to a small interval and
// sums a short Taylor series there; errors are about one unit in the last place of a double.
//
// They are for what happens once a step or once an object. What runs per vertex does not need them.
#ifndef DR_MATH_H
#define DR_MATH_H

// Angles in degrees, of any size. Exact at multiples of 90, correctly rounded at multiples of 45.
double dr_sin_degrees(double degrees);
double dr_cos_degrees(double degrees);

// Angles in radians. Beyond a million the angle is taken modulo the double nearest to 2 pi, and the
// error grows to |radians| * 4e-17.
double dr_sin(double radians);
double dr_cos(double radians);

// The angle of the point (x, y), from -pi to pi, with the signs of zero that atan2 of C has.
double dr_atan2(double y, double x);

// Overflows to infinity and underflows through the subnormal numbers to zero, like exp of C.
double dr_exp(double x);

#endif
