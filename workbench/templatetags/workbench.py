"""Number and text formats of the pages."""

from django import template

register = template.Library()
