#include "summary/SummaryBuilder.h"
